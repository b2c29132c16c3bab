-- Since when the job of an id is a dead letter; nothing when it is none.
local function dead_since(id)
  local place = call('HGET', KEYS[6], sub(id, 10, 15))
  if place then
    local state, at, of = read('>BI7I7', place)
    return state == 1 and of == read('>I7', id, 3) and at
  end
end

-- Whether there is the dead letter of an id, or when that is empty, any.
local function any_dead(id)
  if #id > 0 then
    return dead_since(id)
  end
  return call('ZCARD', KEYS[7]) > 0
end

-- Takes dead letters out of where they are: the one of an id, or when that is empty the oldest ones.
local function take_dead(id, most)
  if #id > 0 then
    local name, at = sub(id, 10, 15), dead_since(id)
    local record = at and take_from_set(KEYS[7], read('>I6', name), at)
    if not record then
      return {}
    end
    call('HDEL', KEYS[6], name)
    return {record}
  end
  local records = call('ZRANGE', KEYS[7], 0, most - 1)
  if #records > 0 then
    call('ZREMRANGEBYRANK', KEYS[7], 0, #records - 1)
  end
  for _, record in ipairs(records) do
    call('HDEL', KEYS[6], sub(record, 1, 6))
  end
  return records
end
