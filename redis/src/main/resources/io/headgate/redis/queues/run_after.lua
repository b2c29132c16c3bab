-- The index of the first run of a list that has a number above another, from where that was when it was looked for last:
-- runs before it may have gone since. To look at one deep in a long list takes long, so few are.
local function run_after(list, number, near)
  local low, high = -1, call('LLEN', list)
  local i, step = math.min(near, high - 1), 1
  while high - low > 1 do
    if i <= low or i >= high then
      i = math.floor((low + high) / 2)
    end
    local first, _, count = read('>I6I7I2', call('LINDEX', list, i))
    if first <= number and number < first + count then
      return number == first + count - 1 and i + 1 or i
    elseif first <= number then
      low, i = i, i + step
    else
      high, i = i, i - step
    end
    step = step * 4
  end
  return high
end
