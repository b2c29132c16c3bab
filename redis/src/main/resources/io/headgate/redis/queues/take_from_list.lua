-- Takes a job out of the run in which it lies in a list, and returns it as a run of one; nothing when it is not there. What
-- is left of the job is a record without content, flagged 64, until a claim comes by.
-- @include find_in_list
local function take_from_list(ready, number, due)
  local run, index, from, next = find_in_list(ready, number, due)
  if run then
    local gone = string.char(byte(run, from) + 64) .. '\0\0\0'
    call('LSET', ready, index, sub(run, 1, from - 1) .. gone .. sub(run, next))
    cancelled = cancelled + 1
    return pack('>I6I7I2', number, due, 1) .. sub(run, from, next - 1)
  end
end
