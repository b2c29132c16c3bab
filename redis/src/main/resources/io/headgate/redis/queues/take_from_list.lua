-- Takes a job out of the run in which it lies in a list, and returns it as a run of one; nothing when it is not there. What
-- is left of the job is a record without content, flagged 64, until a claim comes by.
-- @include find_in_list
local function take_from_list(ready, ready_records, number, due)
  local records, index, from, next = find_in_list(ready, ready_records, number, due)
  if records then
    local gone = string.char(byte(records, from) + 64) .. '\0\0\0'
    local rest = sub(records, 1, from - 1) .. gone .. sub(records, next)
    local head = sub(call('LINDEX', ready, index), 1, 15)
    call('LSET', ready_records, index, rest)
    call('LSET', ready, index, head .. pack('>I3', #rest))
    cancelled = cancelled + 1
    return pack('>I6I7I2', number, due, 1) .. sub(records, from, next - 1)
  end
end
