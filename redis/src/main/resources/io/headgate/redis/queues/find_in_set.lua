-- Finds the record of a number in a sorted set in which it has that score, and at which rank; nothing when it is not there.
-- @include rank_after
local function find_in_set(set, number, at)
  local rank = rank_after(set, at, number - 1)
  local found = call('ZRANGE', set, rank, rank, 'WITHSCORES')
  if #found > 0 and found[2] + 0 == at and read('>I6', found[1]) == number then
    return found[1], rank
  end
end
