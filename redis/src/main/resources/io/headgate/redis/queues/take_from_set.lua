-- Takes the record of a number out of a sorted set in which it has that score; nothing when it is not there.
-- @include find_in_set
local function take_from_set(set, number, at)
  local record, rank = find_in_set(set, number, at)
  if record then
    call('ZREMRANGEBYRANK', set, rank, rank)
  end
  return record
end
