-- Finds the record of a number in a sorted set in which it has that score, and at which rank; nothing when it is not there.
-- Those of one score are in the order of their numbers.
local function find_in_set(set, number, at)
  local score = string.format('%.0f', at)
  local low = call('ZCOUNT', set, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', set, score, score) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local record = call('ZRANGE', set, middle, middle)[1]
    local found = read('>I6', record)
    if found == number then
      return record, middle
    elseif found < number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
end
