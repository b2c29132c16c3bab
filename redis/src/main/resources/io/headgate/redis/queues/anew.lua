-- A dead letter begins anew: no attempt has failed and no lease expired, and its key is its own again unless another job
-- has it that is not done; one that is done has it after that. What it failed of stays with it.
local function anew(record)
  local history, first_due = 20, (read('>I7', record, 20))
  local flags = byte(record, 16)
  if math.floor(flags / 4) % 2 == 1 then
    local at = 31 + (flags % 4 > 1 and 2 + read('>I2', record, 31) or 0)
    local key = sub(record, at + 1, at + byte(record, at))
    local level = math.floor(flags / 16) % 4
    local noted = call('HGET', KEYS[5], key) or ''
    if #noted == 0 or #noted == 21 then
      call('HSET', KEYS[5], key, string.char(level) .. sub(record, 1, 6) .. pack('>I7', first_due) .. noted)
    end
  end
  return sub(record, 1, history + 6) .. '\0' .. sub(record, history + 8, history + 9) .. '\0' .. sub(record, history + 11)
end
