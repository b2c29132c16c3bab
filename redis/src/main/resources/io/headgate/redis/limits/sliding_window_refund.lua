-- Refunds a sliding window.
--
-- cost     as a decision that searches; by decision one more GETRANGE for each block after the charge, of which there may
--          be 1024, and by the oldest as many as for a denied request; SETRANGE for each of them, SET or UNLINK
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
-- @include sliding_window_state
local sealed = {}
if state ~= '' then
  local left = time - window
  -- @include sliding_window_search
  local counted_from = left_sum > forgotten and left_sum or forgotten
  if charged_at > 0 then
    if charged_at > left then
      -- @include sliding_window_remove
    end
  elseif sum > counted_from then
    refunded = permits < sum - counted_from and permits or sum - counted_from
    forgotten = counted_from + refunded
    if forgotten == sum then
      entries = ''
    else
      block, index, before, oldest = seek(
        true, forgotten + 1, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
      -- @include sliding_window_cut
    end
  end
end
-- @take
if entries == '' then
  call('UNLINK', key)
else
  for slot, block_then in pairs(sealed) do
    call('SETRANGE', key, string.format('%d', 70 + 32 * width + slot * (16 * width + 7)), block_then)
  end
  local all = pack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', width, last, sum, #entries / width, oldest, before,
    forgotten, keep, most, kept, expires, first, blocks, capacity, gone) .. entries
  if blocks > 0 then
    call('SETRANGE', key, '0', all .. string.rep('\0', 16 * width - #entries) .. front)
  else
    call('SET', key, all, 'KEEPTTL')
  end
end
