-- Before the entries of a sliding window are read: what it says of its length must be true, so that nothing can fail
-- half way; and seek.
-- @include sliding_window_entry
block, index, left_sum, oldest_time = 0, gone, before, oldest
entries = string.sub(state, 71, 70 + newest * width)
front = blocks > 0 and string.sub(state, 71 + 16 * width, 70 + 32 * width) or ''
if blocks == 0 and (#state > 70 + newest * width or gone > 0 or capacity > 0)
  or blocks > 0 and (gone > 15 or first > 0 and first >= capacity
    or call('STRLEN', key) ~= 70 + 32 * width + capacity * (16 * width + 7)) then
  error('HEADGATE_FOREIGN not a sliding window')
end
-- @include sliding_window_seek
