-- Takes the record of a number out of a sorted set in which it has that score; nothing when it is not there. Those of one
-- score are in the order of their numbers.
local function take_from_set(set, number, at)
  local score = string.format('%.0f', at)
  local low = call('ZCOUNT', set, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', set, score, score) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local record = call('ZRANGE', set, middle, middle)[1]
    local found = read('>I6', record)
    if found == number then
      call('ZREMRANGEBYRANK', set, middle, middle)
      return record
    elseif found < number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
end
