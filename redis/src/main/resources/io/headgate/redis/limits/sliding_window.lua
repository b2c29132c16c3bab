-- The exact sliding window 'sw', twin of SlidingWindowAlgorithm: a log of what was admitted.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6)
-- state    a string: a header, the newest entries (up to 16), and, when there are more, the oldest block, which is read
--          with the header, and a ring of the blocks between.
--          An entry is 4 to 7 bytes: the time, as far as the longest window needs it, and in its low 5 bits the
--          exponent of how many permits it is: a request for n permits is one entry for each bit of n.
--          A block is 16 entries, in the ring with the sum of all permits ever admitted up to its end (7 bytes).
--          A key that holds up to 16 entries is only as long as they are; a ring doubles up to what the limit needs.
-- header   width of an entry (1 byte); last charge (7); permits ever admitted (7); newest entries (1);
--          time of the oldest entry (7), permits before it (7), permits forgotten (7); longest window (6) and largest
--          limit (3) charged under, and the last charge under that window where a later one was under less, else 0 (7);
--          when the key expires (7);
--          ring: where it begins (3), blocks in use with the oldest (3), blocks it has room for (3), entries gone from the
--          oldest (1)
-- cost     GETRANGE; one more for each block of the ring that is searched, most often one each 16 entries and at most
--          log2 of the blocks; charged: SET or SETRANGE, one more each 16 entries, PEXPIRE now and then
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
local simple
-- @include sliding_window_state
if state == '' then
  retry, remaining, reset = permits > limit and -1 or 0, limit, 0
else
  local left = time - window
  -- What most requests are: one permit, under the limit that the key is used to.
  local plain = permits == 1 and many == 1 and window == keep and kept == 0 and limit <= most and last > left
    and expires >= time + window + 60000000
  index, left_sum, oldest_time = gone, before, oldest
  if plain and oldest <= left then
    -- @include sliding_window_slide
  end
  local live = sum - (left_sum > forgotten and left_sum or forgotten)
  local usual = permits == 1 and live <= limit and oldest_time > left
  -- There is room for one more, or will be: some have left, or the newest fill a block that the ring has room for.
  simple = usual and plain and (newest < 16 or blocks == 0 and index > 0 or blocks > 0 and blocks <= capacity)
  if not usual or not simple and live < limit then
    -- @include sliding_window_search
    live = sum - (left_sum > forgotten and left_sum or forgotten)
  end
  remaining = limit > live and limit - live or 0
  reset = live > 0 and last + window - now or 0
  if permits <= remaining then
    retry = 0
  elseif permits > limit then
    retry = -1
  elseif usual then
    retry = oldest_time + window - now
  else
    local _, _, _, blocking = seek(
      true, sum + permits - limit, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
    retry = blocking + window - now
  end
end
-- @charge
if simple then
  range = width == 4 and 134217728 or width == 7 and 281474976710656 or 2 ^ (8 * width - 5)
  if newest < 16 and index == gone and not next_block then
    -- Nothing has left and there is room: one entry more.
    call('SETRANGE', key, '0', pack(
      width == 4 and '>I1I7I7I1c0I4' or width == 5 and '>I1I7I7I1c0I5'
        or width == 6 and '>I1I7I7I1c0I6' or '>I1I7I7I1c0I7',
      width, time, sum + 1, newest + 1, string.sub(state, 17, 70 + newest * width), time % range * 32))
  else
    -- @include sliding_window_slid
  end
else
  -- @include sliding_window_charge
end
remaining, reset = remaining - permits, time + window - now
-- @attempt
-- The oldest make room for as many as the limit is.
permits, simple = permits < limit and permits or limit, false
if keep and not seek then
  local left = time - window
  -- @include sliding_window_search
end
