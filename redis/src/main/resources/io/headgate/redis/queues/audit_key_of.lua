-- The key of a job, a run of one; nothing when it has none.
local function key_of(record)
  local flags = byte(record, 16)
  local at = (flags % 2 == 1 and 31 or 20)
  if flags % 4 > 1 then
    at = at + 2 + read('>I2', record, at)
  end
  return math.floor(flags / 4) % 2 == 1 and sub(record, at + 1, at + byte(record, at)) or nil
end
