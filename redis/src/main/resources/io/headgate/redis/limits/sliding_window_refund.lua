-- Refunds of the exact sliding window 'sw'.
--
-- KEYS, ARGV and reply are those of refund.lua; the state is that of sliding_window.lua.
-- Always     the log stays ordered by time, and its sums stay consistent; refunded permits never count again
-- Cost       the reads of a decision that searches (sliding_window.lua), and one SET, SETRANGE or UNLINK. The refund of
--            a decision needs one more GETRANGE and SETRANGE for each block from the charge on; if there are more than
--            1024, it refunds nothing
--
-- Variables that cross sections. Of the operation, see refund.lua: packed_limits, position, now, key, call, pack,
-- unpack, permits, charged_at_micros, refunded. Shared with sliding_window.lua, which describes them: limit,
-- window_micros, ttl_millis, state, entry_bytes, last_charge, total_permits, newest_count, oldest_charge,
-- permits_before_oldest, forgotten_permits, longest_window, largest_limit, longest_used, ring_start, ring_slots,
-- block_count, gone_count, expires_at, newest_entries, oldest_block, key_time, window_start, entry_format,
-- time_range, find_entry, live_block, live_index, permits_before_live.
--   sealed_blocks   blocks to write, by their slot in the ring: packed entries and the sum to their end

-- @section sliding_window_refund
-- Computes what a sliding window refunds: permits charged at one time, or the oldest ones. Nothing is written yet.
local limit, window_micros, ttl_millis
limit, window_micros, ttl_millis, position = unpack('>I4I6I6', packed_limits, position)
-- @include sliding_window_state
local sealed_blocks = {}
if state ~= '' then
  local window_start = key_time - window_micros
  -- @include sliding_window_find_live
  local counted_from = permits_before_live > forgotten_permits and permits_before_live or forgotten_permits
  if charged_at_micros > 0 then
    if charged_at_micros > window_start then
      -- @include sliding_window_remove
    end
  elseif total_permits > counted_from then
    refunded = permits < total_permits - counted_from and permits or total_permits - counted_from
    forgotten_permits = counted_from + refunded
    if forgotten_permits == total_permits then
      newest_entries = ''
    else
      live_block, live_index, permits_before_oldest, oldest_charge = find_entry(
        true, forgotten_permits + 1, key, oldest_block, newest_entries, entry_format, entry_bytes, time_range,
        last_charge, permits_before_oldest, ring_start, block_count, ring_slots, gone_count, newest_count)
      -- @include sliding_window_drop_expired
    end
  end
end
-- @write
if newest_entries == '' then
  call('UNLINK', key)
else
  for slot, new_block in pairs(sealed_blocks) do
    call('SETRANGE', key, string.format('%d', 70 + 32 * entry_bytes + slot * (16 * entry_bytes + 7)), new_block)
  end
  local new_state = pack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', entry_bytes, last_charge, total_permits,
    #newest_entries / entry_bytes, oldest_charge, permits_before_oldest,
    forgotten_permits, longest_window, largest_limit, longest_used, expires_at, ring_start, block_count, ring_slots,
    gone_count) .. newest_entries
  if block_count > 0 then
    call('SETRANGE', key, '0', new_state .. string.rep('\0', 16 * entry_bytes - #newest_entries) .. oldest_block)
  else
    call('SET', key, new_state, 'KEEPTTL')
  end
end

-- @section sliding_window_remove
-- Removes from the log permits that were charged at charged_at_micros. All later entries move towards its start.
local block_bytes = 16 * entry_bytes + 7
local function read_block(block_index)
  if block_index == 0 then
    return oldest_block
  end
  local offset = 70 + 32 * entry_bytes + (ring_start + block_index - 1) % ring_slots * block_bytes
  return call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + 16 * entry_bytes - 1))
end
local function entry_at(log, i)
  local entry = unpack(entry_format, log, i * entry_bytes + 1)
  local exponent = entry % 32
  return last_charge - (last_charge - (entry - exponent) / 32) % time_range, 2 ^ exponent
end

-- Find the first entry of that time. Below, log is the packed entries from the block of that entry to the newest one,
-- and the entries of that time are the group.
local block_index, group_start, permits_before_group, found_time = find_entry(
  false, charged_at_micros - 1, key, oldest_block, newest_entries, entry_format, entry_bytes, time_range,
  last_charge, permits_before_oldest, ring_start, block_count, ring_slots, gone_count, newest_count)
if found_time == charged_at_micros and block_count - block_index <= 1024 then
  local log_parts = {}
  for i = block_index, block_count - 1 do
    log_parts[#log_parts + 1] = read_block(i)
  end
  log_parts[#log_parts + 1] = newest_entries
  local log = table.concat(log_parts)
  local group_end, group_permits, missing_permits, kept_entries = group_start, 0, permits, {}
  while group_end < #log / entry_bytes do
    local entry_time, entry_permits = entry_at(log, group_end)
    if entry_time ~= charged_at_micros then
      break
    end
    -- An entry has a power of two of permits: remove it if missing_permits, which are still to be removed, has that bit.
    if math.floor(missing_permits / entry_permits) % 2 == 1 then
      missing_permits = missing_permits - entry_permits
    else
      kept_entries[#kept_entries + 1] = string.sub(log, group_end * entry_bytes + 1, (group_end + 1) * entry_bytes)
    end
    group_end, group_permits = group_end + 1, group_permits + entry_permits
  end
  kept_entries = table.concat(kept_entries)

  -- How many permits of the group still count. Remove all its entries, or only those that make up the refund.
  local live_permits = group_permits - (forgotten_permits > permits_before_group
    and forgotten_permits - permits_before_group or 0)
  local at_front = block_index == 0 and group_start == gone_count
  if permits >= live_permits then
    refunded, kept_entries = live_permits > 0 and live_permits or 0, ''
    if at_front then
      -- The entries of forgotten permits are removed, too.
      permits_before_group = permits_before_group + group_permits - refunded
      permits_before_oldest = permits_before_group
    end
  else
    if missing_permits > 0 then
      -- The entries do not match the bits of the refund: write new entries for the permits that remain in the group.
      local time_bits, remaining_bits, exponent = charged_at_micros % time_range * 32, group_permits - permits, 0
      kept_entries = ''
      while remaining_bits > 0 do
        if remaining_bits % 2 == 1 then
          kept_entries = kept_entries .. pack(entry_format, time_bits + exponent)
        end
        remaining_bits, exponent = math.floor(remaining_bits / 2), exponent + 1
      end
    end
    -- The group may have more entries than before, for which the ring must have room.
    local new_entry_count = (#log + #kept_entries) / entry_bytes - (group_end - group_start)
    if block_index + math.floor((new_entry_count - 1) / 16) <= (block_count > 0 and ring_slots + 1 or 0) then
      refunded = permits
    end
  end
  if refunded > 0 then
    log = string.sub(log, 1, group_start * entry_bytes) .. kept_entries
      .. string.sub(log, group_end * entry_bytes + 1)
    total_permits = total_permits - refunded
    if #log == 0 and block_index > 0 then
      block_index, group_start = block_index - 1, 16
      log = read_block(block_index)
    end
    local permits_to_end, entry_count = permits_before_group, #log / entry_bytes
    if block_index == 0 and block_count > 0 and entry_count == gone_count then
      entry_count = 0
    end
    if entry_count == 0 then
      newest_entries = ''
    else
      if at_front then
        oldest_charge = entry_at(log, group_start)
      end
      local new_last_charge = entry_at(log, entry_count - 1)
      if longest_used == 0 and new_last_charge < last_charge then
        -- The longest window remains in force for its length after its last charge, even if that charge is refunded.
        longest_used = last_charge
      end
      -- Form blocks of 16 again, each with the sum of all permits up to its end.
      for i = 0, group_start - 1 do
        local _, entry_permits = entry_at(log, i)
        permits_to_end = permits_to_end - entry_permits
      end
      local new_newest_count = (entry_count - 1) % 16 + 1
      for i = 0, entry_count - new_newest_count - 1 do
        local _, entry_permits = entry_at(log, i)
        permits_to_end = permits_to_end + entry_permits
        if i % 16 == 15 then
          local new_block_index, new_block = block_index + (i - 15) / 16, string.sub(log, (i - 15) * entry_bytes + 1,
            (i + 1) * entry_bytes)
          if new_block_index == 0 then
            oldest_block = new_block
          else
            sealed_blocks[(ring_start + new_block_index - 1) % ring_slots] = new_block .. pack('>I7', permits_to_end)
          end
        end
      end
      block_count, newest_entries, last_charge = block_index + (entry_count - new_newest_count) / 16,
        string.sub(log, (entry_count - new_newest_count) * entry_bytes + 1),
        new_last_charge
      if block_count == 0 then
        newest_entries = string.sub(newest_entries, gone_count * entry_bytes + 1)
        oldest_block, ring_start, ring_slots, gone_count = '', 0, 0, 0
      end
    end
  end
end
