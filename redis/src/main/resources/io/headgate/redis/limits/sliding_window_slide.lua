-- Where a sliding window has few places to look for what has left, the newest entries of a small one or the two oldest
-- blocks of a larger: finds the oldest entry that has not. Where there is none, the time stays one that has left.
-- @include sliding_window_entry
local packed, at, count = state, 71, newest
if blocks > 0 then
  at, count = 71 + 16 * width, 16
end
while index < count do
  local entry = unpack(format, packed, at + index * width)
  local exponent = entry % 32
  oldest_time = last - (last - (entry - exponent) / 32) % range
  if oldest_time > left then
    break
  end
  left_sum, index = left_sum + 2 ^ exponent, index + 1
  if index == 16 and blocks > 1 and not next_block then
    local offset = 70 + 32 * width + first * (16 * width + 7)
    next_block = call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + 16 * width - 1))
    if #next_block ~= 16 * width then
      error('HEADGATE_FOREIGN not a sliding window')
    end
    packed, at, index = next_block, 1, 0
  end
end
