-- How many of a sorted set come before what is after a place: a score, and a number among those of that score, which are in
-- the order of their numbers.
local function rank_after(set, at, number)
  local score = string.format('%.0f', at)
  local low = call('ZCOUNT', set, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', set, score, score) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if read('>I6', call('ZRANGE', set, middle, middle)[1]) <= number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
  return low
end
