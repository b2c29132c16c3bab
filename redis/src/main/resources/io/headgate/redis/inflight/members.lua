-- Reads which holds are meant. work: of key i its holds that are held, or are to be: id, permits, and which of the replies it has;
-- replies: of each key and each of its holds a byte, 1 where it is held, or is to be
--
-- Of each key, an argument has its holds: ids (16 bytes) with their permits (1 byte). A key that is not ours fails nobody else:
-- nothing is held there.
local replies, work = {}, {}
for i, key in ipairs(KEYS) do
  local holds = ARGV[i + GIVEN]
  work[i] = {}
  for at = 1, #holds, 17 do
    local id = string.sub(holds, at, at + 15)
    local expiry = redis.pcall('ZSCORE', key, id .. FIRST)
    -- An error is a table; what is not there is false.
    local is = is_held(expiry) or PUTS_BACK and type(expiry) ~= 'table'
    replies[#replies + 1] = is and '\1' or '\0'
    if is then
      work[i][#work[i] + 1] = {id, string.byte(holds, at + 16), #replies}
    end
  end
end
