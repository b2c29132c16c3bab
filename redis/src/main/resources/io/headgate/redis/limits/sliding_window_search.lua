-- Finds the oldest entry of a sliding window that has not left.
-- @include sliding_window_open
if last <= left then
  block, index, left_sum, oldest_time = blocks, newest, sum, nil
elseif oldest <= left then
  block, index, left_sum, oldest_time =
    seek(false, left, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
end
