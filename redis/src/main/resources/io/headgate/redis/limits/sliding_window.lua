-- The exact sliding window 'sw', twin of SlidingWindowAlgorithm: a log of the permits that were charged in the window,
-- with the time of each charge.
--
-- KEYS and reply are those of the operation (acquire.lua, refund.lua).
-- ARGV       in packed_limits: limit (4 bytes); window in us (6); the expiry of the key in ms (6)
-- State      a string: a header of 70 bytes; the newest entries (up to 16); and, beyond 16, the oldest block, which is
--            read with the header, and a ring of the others. Then the newest entries take the bytes of 16
--   entry    4 to 7 bytes: the time, modulo time_range, and in its low 5 bits the exponent of a power of two of
--            permits. A request for n permits is one entry for each bit of n
--   block    16 entries; in the ring followed by total_permits as of its last entry (7 bytes)
--   header   entry_bytes (1), last_charge (7), total_permits (7), newest_count (1), oldest_charge (7),
--            permits_before_oldest (7), forgotten_permits (7), longest_window (6), largest_limit (3), longest_used
--            (7), expires_at (7), ring_start (3), block_count (3), ring_slots (3), gone_count (1); see the variables
-- Always     a charge drops an entry only when the entry has left the longest window of the charges that may still
--            count, or when newer entries alone reach the largest limit. The ring doubles up to what the limit needs
-- Cost       GETRANGE; one more for each block of the ring that is searched: usually one per 16 entries that expire, at
--            most log2 of the blocks; when charged a SET or SETRANGE, one more per 16 entries added, seldom PEXPIRE
--
-- Variables that cross sections; sliding_window_refund.lua shares them. Times and durations are us, times since 1970.
-- Of the operation, see acquire.lua: packed_limits, position, now, key, call, pack, unpack, permits, requests,
-- allowed, remaining, retry_micros, reset_micros, widened, widen_budget.
--   limit, window_micros     of the request: permits, and the length of the window
--   ttl_millis               how long the key lives after a charge that sets its expiry, ms
--   The state as read, changed in place by a charge or refund:
--   state                    the stored bytes: header, newest entries and oldest block; '' when there is no key
--   entry_bytes              bytes of an entry, 4 to 7
--   last_charge, expires_at  time of the newest entry; when the key expires, a minute or more after that entry's window
--   total_permits            permits admitted since the log was last empty, without those whose entries refunds removed
--   forgotten_permits        how many of the first total_permits no longer count: they are too old or were refunded
--   newest_entries, newest_count             the newest entries, packed, and their number
--   oldest_charge, permits_before_oldest     time of the oldest entry, and permits admitted before it
--   longest_window, largest_limit            the longest window of the charges that the log may still count, and the
--                            largest limit of all charges since the log was last empty; nil without a key
--   longest_used             the last charge under longest_window, if a later one was under a shorter window; else 0
--   oldest_block, gone_count the entries of the oldest block, packed, and how many of its first entries are dropped
--   block_count              blocks in use, including the oldest block; 0 when there are only newest entries
--   ring_start, ring_slots   the first slot of the ring that is in use, and how many slots it has
--   ring                     the blocks of the ring if it must be written whole, else nil
--   Derived from it:
--   key_time                 now, or last_charge where that is later: the time of the key never runs backwards
--   window_start             entries at or before this time have left the window
--   entry_format, time_range the format of an entry for struct, and the modulus of its time: 2^27, 2^35, 2^43 or 2^48
--   find_entry               function, see sliding_window_find; nil until the state has been checked
--   live_block, live_index   the block of the oldest live entry, which is the oldest that still counts (0 is the oldest
--                            block, block_count the newest entries), and its index in that block
--   oldest_live_time, permits_before_live    its time, and permits admitted before it
--   second_block             the entries of the second block, packed, once all of the oldest block have left the window
--   simple_charge            whether one permit can be charged without find_entry

-- @section sliding_window
-- Decides and charges a sliding window.
local limit, window_micros, ttl_millis
limit, window_micros, ttl_millis, position = unpack('>I4I6I6', packed_limits, position)
local simple_charge
-- @include sliding_window_state
if state == '' then
  retry_micros, remaining, reset_micros = permits > limit and -1 or 0, limit, 0
else
  local window_start = key_time - window_micros
  -- ordinary: one permit, whose charge changes neither the longest window, the largest limit nor the expiry.
  local ordinary = permits == 1 and requests == 1 and window_micros == longest_window and longest_used == 0
    and limit <= largest_limit and last_charge > window_start
    and expires_at >= key_time + window_micros + 60000000
  live_index, permits_before_live, oldest_live_time = gone_count, permits_before_oldest, oldest_charge
  if ordinary and oldest_charge <= window_start then
    -- @include sliding_window_skip_expired
  end
  local live_permits = total_permits - (permits_before_live > forgotten_permits and permits_before_live
    or forgotten_permits)
  -- one_decides: the time of the oldest live entry is known, and alone decides when one more permit fits.
  local one_decides = permits == 1 and live_permits <= limit and oldest_live_time > window_start
  -- One more entry fits, or will after expired ones are dropped or a full block moves to a free slot of the ring.
  simple_charge = one_decides and ordinary and (newest_count < 16 or block_count == 0 and live_index > 0
    or block_count > 0 and block_count <= ring_slots)
  if not one_decides or not simple_charge and live_permits < limit then
    -- @include sliding_window_find_live
    live_permits = total_permits - (permits_before_live > forgotten_permits and permits_before_live
      or forgotten_permits)
  end
  remaining = limit > live_permits and limit - live_permits or 0
  reset_micros = live_permits > 0 and last_charge + window_micros - now or 0
  if permits <= remaining then
    retry_micros = 0
  elseif permits > limit then
    retry_micros = -1
  elseif one_decides then
    retry_micros = oldest_live_time + window_micros - now
  else
    local _, _, _, blocking_time = find_entry(
      true, total_permits + permits - limit, key, oldest_block, newest_entries, entry_format, entry_bytes,
      time_range, last_charge, permits_before_oldest, ring_start, block_count, ring_slots, gone_count, newest_count)
    retry_micros = blocking_time + window_micros - now
  end
end
-- @charge
if simple_charge then
  time_range = entry_bytes == 4 and 134217728 or entry_bytes == 7 and 281474976710656 or 2 ^ (8 * entry_bytes - 5)
  if newest_count < 16 and live_index == gone_count and not second_block then
    -- No entry has left the window, and one more fits: append it.
    call('SETRANGE', key, '0', pack(
      entry_bytes == 4 and '>I1I7I7I1c0I4' or entry_bytes == 5 and '>I1I7I7I1c0I5'
        or entry_bytes == 6 and '>I1I7I7I1c0I6' or '>I1I7I7I1c0I7',
      entry_bytes, key_time, total_permits + 1, newest_count + 1,
      string.sub(state, 17, 70 + newest_count * entry_bytes), key_time % time_range * 32))
  else
    -- @include sliding_window_charge_one
  end
else
  -- @include sliding_window_charge
end
remaining, reset_micros = remaining - permits, key_time + window_micros - now
-- @attempt
-- An attempt is recorded like a charge, and pushes out the oldest permits, up to the limit.
permits, simple_charge = permits < limit and permits or limit, false
if longest_window and not find_entry then
  local window_start = key_time - window_micros
  -- @include sliding_window_find_live
end

-- @section sliding_window_state
-- Reads the header, the newest entries and the oldest block: to byte 197 with entries of 4 bytes, to 293 with 7.
local entry_bytes, last_charge, total_permits, newest_count, oldest_charge, permits_before_oldest, forgotten_permits,
  longest_window, largest_limit, longest_used, ring_start, block_count, ring_slots, gone_count, expires_at
local key_time, newest_entries, entry_format, time_range, find_entry = now, '', nil, nil, nil
local live_block, live_index, permits_before_live, oldest_live_time, oldest_block, second_block
local state = call('GETRANGE', key, '0', window_micros > 134217728 and '293' or '197')
if #state > 0 and #state < 74 then
  -- @include require_ban
  state = ''
end
if state ~= '' then
  entry_bytes, last_charge, total_permits, newest_count, oldest_charge, permits_before_oldest, forgotten_permits,
    longest_window, largest_limit, longest_used, expires_at, ring_start, block_count, ring_slots, gone_count =
    unpack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', state)
  if entry_bytes > 4 and #state == 198 then
    -- Entries are wider than this window needs, from a charge under a longer one.
    state = call('GETRANGE', key, '0', '293')
  end
  if entry_bytes < 4 or entry_bytes > 7 or newest_count < 1 or newest_count > 16 or block_count > ring_slots + 1
    or #state < 70 + (block_count > 0 and 32 or newest_count) * entry_bytes then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  if last_charge > now then
    key_time = last_charge
  end
end

-- @section sliding_window_entry_format
-- Sets how an entry is packed, and the modulus of its time.
entry_format = entry_bytes == 4 and '>I4' or entry_bytes == 5 and '>I5' or entry_bytes == 6 and '>I6' or '>I7'
time_range = entry_bytes == 4 and 134217728 or entry_bytes == 7 and 281474976710656 or 2 ^ (8 * entry_bytes - 5)

-- @section sliding_window_check
-- Checks, before entries are read, that the key is as long as its header implies, so that nothing fails halfway.
-- @include sliding_window_entry_format
live_block, live_index, permits_before_live, oldest_live_time = 0, gone_count, permits_before_oldest, oldest_charge
newest_entries = string.sub(state, 71, 70 + newest_count * entry_bytes)
oldest_block = block_count > 0 and string.sub(state, 71 + 16 * entry_bytes, 70 + 32 * entry_bytes) or ''
if block_count == 0 and (#state > 70 + newest_count * entry_bytes or gone_count > 0 or ring_slots > 0)
  or block_count > 0 and (gone_count > 15 or ring_start > 0 and ring_start >= ring_slots
    or call('STRLEN', key) ~= 70 + 32 * entry_bytes + ring_slots * (16 * entry_bytes + 7)) then
  error('HEADGATE_FOREIGN not a sliding window')
end
-- @include sliding_window_find

-- @section sliding_window_find
-- scan_entries finds the first packed entry, from index on, that is later than target or, by_sum, with which the sum
-- of permits reaches target. Returns its index, the sum before it, and its time; or nil and the sum of all.
local function scan_entries(packed, index, count, by_sum, target, sum, entry_format, entry_bytes, time_range,
  last_charge)
  while index < count do
    local entry = unpack(entry_format, packed, index * entry_bytes + 1)
    local exponent = entry % 32
    local entry_time, permits = last_charge - (last_charge - (entry - exponent) / 32) % time_range, 2 ^ exponent
    if by_sum and sum + permits >= target or not by_sum and entry_time > target then
      return index, sum, entry_time
    end
    sum, index = sum + permits, index + 1
  end
  return nil, sum
end

-- find_entry searches the whole log for such an entry. Returns the block (0 is the oldest; block_count the newest
-- entries), the index in it, the sum before the entry, and its time, which is nil when there is no such entry.
-- Cost: a GETRANGE for each block that is searched, by bisection.
function find_entry(by_sum, target, key, oldest_block, newest_entries, entry_format, entry_bytes, time_range,
  last_charge, sum, ring_start, block_count, ring_slots, gone_count, newest_count)
  local function read(block, from, bytes)
    local offset = 70 + 32 * entry_bytes + (ring_start + block - 1) % ring_slots * (16 * entry_bytes + 7) + from
    return call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + bytes - 1))
  end
  local index, entry_time
  if block_count > 0 then
    index, sum, entry_time = scan_entries(oldest_block, gone_count, 16, by_sum, target, sum, entry_format,
      entry_bytes, time_range, last_charge)
    if index then
      return 0, index, sum, entry_time
    end
    local low, high = 1, block_count
    while low < high do
      -- Usually it is the next block, so try that first.
      local middle = low == 1 and 1 or math.floor((low + high) / 2)
      local block_end = read(middle, 15 * entry_bytes, entry_bytes + 7)
      local total = unpack('>I7', block_end, entry_bytes + 1)
      if by_sum and total >= target or not by_sum and scan_entries(block_end, 0, 1, false, target, 0, entry_format,
        entry_bytes, time_range, last_charge) then
        high = middle
      else
        low, sum = middle + 1, total
      end
    end
    if low < block_count then
      index, sum, entry_time = scan_entries(read(low, 0, 16 * entry_bytes), 0, 16, by_sum, target, sum, entry_format,
        entry_bytes, time_range, last_charge)
      return low, index, sum, entry_time
    end
  end
  index, sum, entry_time = scan_entries(newest_entries, 0, newest_count, by_sum, target, sum, entry_format,
    entry_bytes, time_range, last_charge)
  return block_count, index or newest_count, sum, entry_time
end

-- @section sliding_window_find_live
-- Finds the oldest entry that has not left the window.
-- @include sliding_window_check
if last_charge <= window_start then
  live_block, live_index, permits_before_live, oldest_live_time = block_count, newest_count, total_permits, nil
elseif oldest_charge <= window_start then
  live_block, live_index, permits_before_live, oldest_live_time =
    find_entry(false, window_start, key, oldest_block, newest_entries, entry_format, entry_bytes, time_range,
      last_charge, permits_before_oldest, ring_start, block_count, ring_slots, gone_count, newest_count)
end

-- @section sliding_window_skip_expired
-- Finds the oldest live entry without a search, among the newest entries of a short log or in the two oldest blocks of
-- a longer one. If all of these have left the window, oldest_live_time remains a time outside it.
-- @include sliding_window_entry_format
local packed_entries, start, count = state, 71, newest_count
if block_count > 0 then
  start, count = 71 + 16 * entry_bytes, 16
end
while live_index < count do
  local entry = unpack(entry_format, packed_entries, start + live_index * entry_bytes)
  local exponent = entry % 32
  oldest_live_time = last_charge - (last_charge - (entry - exponent) / 32) % time_range
  if oldest_live_time > window_start then
    break
  end
  permits_before_live, live_index = permits_before_live + 2 ^ exponent, live_index + 1
  if live_index == 16 and block_count > 1 and not second_block then
    local offset = 70 + 32 * entry_bytes + ring_start * (16 * entry_bytes + 7)
    second_block = call('GETRANGE', key, string.format('%d', offset),
      string.format('%d', offset + 16 * entry_bytes - 1))
    if #second_block ~= 16 * entry_bytes then
      error('HEADGATE_FOREIGN not a sliding window')
    end
    packed_entries, start, live_index = second_block, 1, 0
  end
end

-- @section sliding_window_charge_one
-- Charges one permit when entries that left the window are dropped, or the newest entries fill a block.
local dropped = block_count == 0 and live_index or newest_count == 16 and 16 or 0
local new_state = pack(
  entry_bytes == 4 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I4' or entry_bytes == 5 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I5'
    or entry_bytes == 6 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I6' or '>I1I7I7I1I7I7I7c0I3I3I3I1c0I7',
  entry_bytes, key_time, total_permits + 1, newest_count - dropped + 1, oldest_live_time, permits_before_live,
  permits_before_live > forgotten_permits and permits_before_live or forgotten_permits,
  string.sub(state, 38, 60), second_block and (ring_start + 1) % ring_slots or ring_start,
  block_count + (dropped == 16 and 1 or 0) - (second_block and 1 or 0), ring_slots, block_count == 0 and 0
  or live_index,
  string.sub(state, 71 + dropped * entry_bytes, 70 + newest_count * entry_bytes), key_time % time_range * 32)
if second_block then
  new_state = new_state .. string.rep('\0', 70 + 16 * entry_bytes - #new_state) .. second_block
end
if dropped == 16 then
  local slot = (ring_start + block_count - 1) % ring_slots
  call('SETRANGE', key, string.format('%d', 70 + 32 * entry_bytes + slot * (16 * entry_bytes + 7)),
    string.sub(state, 71, 70 + 16 * entry_bytes) .. pack('>I7', total_permits))
end
if block_count == 0 and dropped > 1 then
  call('SET', key, new_state, 'KEEPTTL')
else
  call('SETRANGE', key, '0', new_state)
end

-- @section sliding_window_charge
-- Charges any number of permits: drops entries that no limit can count any more, appends entries, moves full blocks
-- into the ring, widens entries for a longer window, and sets the expiry.
local kept_window, ring = window_micros, nil

-- Forget permits that no limit of this key can count. A longer window remains in force until nothing has been charged
-- under it for its whole length.
if longest_window then
  if longest_used > 0 and key_time - longest_used >= longest_window then
    longest_window, longest_used = window_micros, 0
  end
  if longest_window > window_micros then
    kept_window = longest_window
    ttl_millis = math.floor(kept_window / 1000) + 180000
  end
end
if not longest_window or last_charge <= key_time - kept_window then
  entry_bytes = kept_window <= 134217728 and 4 or kept_window <= 34359738368 and 5 or kept_window <= 8796093022208
    and 6 or 7
  longest_window, largest_limit, longest_used, newest_entries, oldest_block, newest_count,
    expires_at = window_micros, limit, 0, '', '', 0, 0
  oldest_charge, total_permits, permits_before_oldest, forgotten_permits, ring_start, block_count, ring_slots,
    gone_count = key_time, 0, 0, 0, 0, 0, 0, 0
else
  longest_used = window_micros < longest_window and (longest_used > 0 and longest_used or last_charge) or 0
  largest_limit = limit > largest_limit and limit or largest_limit
  -- How many permits of the log no limit needs after the charge; all of them if it alone reaches the largest limit.
  local surplus = total_permits + permits - largest_limit
  if kept_window > window_micros then
    live_block, live_index, permits_before_live, oldest_live_time = find_entry(
      false, key_time - kept_window, key, oldest_block, newest_entries, entry_format, entry_bytes, time_range,
      last_charge, permits_before_oldest, ring_start, block_count, ring_slots, gone_count, newest_count)
  end
  if surplus == total_permits then
    live_block, live_index, permits_before_live, oldest_live_time = block_count, newest_count, total_permits, nil
  elseif surplus > permits_before_live then
    live_block, live_index, permits_before_live, oldest_live_time = find_entry(
      true, surplus + 1, key, oldest_block, newest_entries, entry_format, entry_bytes, time_range, last_charge,
      permits_before_oldest, ring_start, block_count, ring_slots, gone_count, newest_count)
  end
  if permits_before_live > forgotten_permits then
    forgotten_permits = permits_before_live
  end
  permits_before_oldest, longest_window, oldest_charge = permits_before_live, kept_window, oldest_live_time
    or key_time
  -- @include sliding_window_drop_expired
  if longest_window > time_range then
    -- @include sliding_window_widen
  end
end
-- @include sliding_window_entry_format

-- Append one entry for each bit of permits. If there are then more than 16 newest entries, the first 16 form a block.
local time_bits, remaining_bits, exponent = key_time % time_range * 32, permits, 0
while remaining_bits > 0 do
  if remaining_bits % 2 == 1 then
    newest_entries = newest_entries .. pack(entry_format, time_bits + exponent)
  end
  remaining_bits, exponent = math.floor(remaining_bits / 2), exponent + 1
end
total_permits = total_permits + permits
if total_permits - largest_limit > forgotten_permits then
  forgotten_permits = total_permits - largest_limit
end
if #newest_entries > 16 * entry_bytes then
  -- @include sliding_window_seal
end
local must_expire_later = expires_at < key_time + longest_window + 60000000
if must_expire_later then
  expires_at = now + ttl_millis * 1000
end
local header = pack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', entry_bytes, key_time, total_permits,
  #newest_entries / entry_bytes, oldest_charge, permits_before_oldest,
  forgotten_permits, longest_window, largest_limit, longest_used, expires_at, ring_start, block_count, ring_slots,
  gone_count)
local new_state = header .. newest_entries
if block_count > 0 then
  new_state = new_state .. string.rep('\0', 16 * entry_bytes - #newest_entries) .. oldest_block
end
if block_count > 0 and not ring then
  call('SETRANGE', key, '0', new_state)
  if must_expire_later then
    call('PEXPIRE', key, string.format('%d', ttl_millis))
  end
else
  if ring then
    new_state = new_state .. ring .. string.rep('\0', ring_slots * (16 * entry_bytes + 7) - #ring)
  end
  if must_expire_later then
    call('SET', key, new_state, 'PX', string.format('%d', ttl_millis))
  else
    call('SET', key, new_state, 'KEEPTTL')
  end
end

-- @section sliding_window_drop_expired
-- Drops the entries before the live one, which becomes the oldest.
if live_block == block_count then
  if live_index > 0 then
    newest_entries = string.sub(newest_entries, live_index * entry_bytes + 1)
  end
  oldest_block, block_count, ring_slots, ring_start, gone_count = '', 0, 0, 0, 0
else
  if live_block > 0 then
    local offset = 70 + 32 * entry_bytes + (ring_start + live_block - 1) % ring_slots * (16 * entry_bytes + 7)
    oldest_block = call('GETRANGE', key, string.format('%d', offset),
      string.format('%d', offset + 16 * entry_bytes - 1))
    ring_start, block_count = (ring_start + live_block) % ring_slots, block_count - live_block
  end
  gone_count = live_index
end

-- @section sliding_window_widen
-- Rewrites all entries wider, because this window is longer than any before; once for each width.
-- An epoch is as long as the time_range of narrow entries. Each entry is in the epoch of the newest entry or in the
-- epoch before it. All entries of an epoch receive the same high bits.
-- Cost: a GETRANGE of the whole ring; a struct.unpack and struct.pack for each block, about 0.15 us an entry.
local wider_bytes = longest_window <= 34359738368 and 5 or longest_window <= 8796093022208 and 6 or 7
local epochs = (wider_bytes == 7 and 281474976710656 or 2 ^ (8 * wider_bytes - 5)) / time_range
local epoch, newest_of_epoch = math.floor(last_charge / time_range), last_charge % time_range * 32 + 31
local high_bits, high_bits_before = epoch % epochs * time_range * 32, (epoch - 1) % epochs * time_range * 32
local wider_format = '>I' .. wider_bytes
local function widen(packed_entries)
  local widened = {}
  for i = 1, #packed_entries / entry_bytes do
    local entry = unpack(entry_format, packed_entries, (i - 1) * entry_bytes + 1)
    widened[i] = pack(wider_format, entry + (entry > newest_of_epoch and high_bits_before or high_bits))
  end
  return table.concat(widened)
end
if block_count > 0 then
  -- @include sliding_window_read_ring
  local block_format = '>' .. string.rep('I' .. entry_bytes, 16) .. 'I7'
  local wider_block_format = '>' .. string.rep('I' .. wider_bytes, 16) .. 'I7'
  local widened, block_bytes = {}, 16 * entry_bytes + 7
  for i = 1, block_count - 1 do
    local start = (i - 1) * block_bytes + 1
    local e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16,
      permits_to_end = unpack(block_format, ring, start)
    local high = e1 > newest_of_epoch and high_bits_before or high_bits
    if e1 > newest_of_epoch and e16 <= newest_of_epoch then
      -- The new epoch begins within this block.
      widened[i] = widen(string.sub(ring, start, start + 16 * entry_bytes - 1)) .. pack('>I7', permits_to_end)
    else
      widened[i] = pack(wider_block_format, e1 + high, e2 + high, e3 + high, e4 + high, e5 + high, e6 + high,
        e7 + high, e8 + high,
        e9 + high, e10 + high, e11 + high, e12 + high, e13 + high, e14 + high, e15 + high, e16 + high, permits_to_end)
    end
  end
  ring = table.concat(widened)
end
newest_entries, oldest_block, entry_bytes = widen(newest_entries), widen(oldest_block), wider_bytes

-- @section sliding_window_seal
-- Moves blocks of 16 from the newest entries into the ring, which grows when it is full.
while #newest_entries > 16 * entry_bytes do
  local full_block = string.sub(newest_entries, 1, 16 * entry_bytes)
  if block_count == 0 then
    oldest_block, ring = full_block, ''
  else
    if block_count > ring_slots and not ring then
      -- @include sliding_window_read_ring
    end
    -- A block ends with the sum of all permits except those of the entries after it.
    local permits_to_end = total_permits
    for i = 16, #newest_entries / entry_bytes - 1 do
      permits_to_end = permits_to_end - 2 ^ (unpack(entry_format, newest_entries, i * entry_bytes + 1) % 32)
    end
    local sealed = full_block .. pack('>I7', permits_to_end)
    if ring then
      ring = ring .. sealed
    else
      local slot = (ring_start + block_count - 1) % ring_slots
      call('SETRANGE', key, string.format('%d', 70 + 32 * entry_bytes + slot * #sealed), sealed)
    end
  end
  newest_entries, block_count = string.sub(newest_entries, 16 * entry_bytes + 1), block_count + 1
end
if ring then
  -- Double the ring, but not beyond what the limit needs.
  ring_slots = math.max(block_count - 1, math.min(2 * block_count - 4, math.floor((largest_limit - 2) / 16)))
end

-- @section sliding_window_read_ring
-- Sets ring to the blocks in use, oldest first, and ring_start to 0.
-- Cost: a GETRANGE of the whole ring.
if block_count > 1 then
  local block_bytes, ring_offset = 16 * entry_bytes + 7, 70 + 32 * entry_bytes
  ring = call('GETRANGE', key, string.format('%d', ring_offset),
    string.format('%d', ring_offset + ring_slots * block_bytes - 1))
  ring = string.sub(string.sub(ring, ring_start * block_bytes + 1) .. string.sub(ring, 1, ring_start * block_bytes),
    1, (block_count - 1) * block_bytes)
else
  ring = ''
end
ring_start, ring_slots = 0, block_count > 0 and block_count - 1 or 0

-- @section sliding_window_widen_budget
-- In a batch, leaves a step undecided if its charge would rewrite more entries wider than widen_budget allows: the
-- caller must send it alone. The entries of all rules of the step are added up.
if longest_window and window_micros > longest_window and last_charge > key_time - window_micros
  and (entry_bytes == 4 and window_micros > 134217728
  or entry_bytes == 5 and window_micros > 34359738368 or entry_bytes == 6 and window_micros > 8796093022208) then
  widened = widened + 16 * block_count + newest_count
  if widened > widen_budget then
    allowed, remaining, retry_micros, reset_micros = nil, 4294967295, -1, 0
  end
end

-- @section sliding_window_widen_budget_admitted
-- Includes sliding_window_widen_budget if the rule admits: a rule that does not count attempts charges nothing else.
if allowed and retry_micros == 0 then
  -- @include sliding_window_widen_budget
end
