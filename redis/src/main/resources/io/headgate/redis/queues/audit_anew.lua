-- Jobs of which it is not known any more what numbers they had wait under new ones, which come by a due time after those that
-- have it; now at the latest, as what lies in a list was due when it came. Ids that were told of them lead nowhere.
-- @include audit_key_of
local function number_anew(records, due)
  due = math.min(due, now)
  each_record(records, 1, nil, function(_, flags, at, next)
    if flags >= 64 then
      cancelled = math.max(0, cancelled - 1)
      return
    end
    seq = seq + 1
    local record, level = pack('>I6I7I2', seq, due, 1) .. sub(records, at, next - 1), math.floor(flags / 16)
    call('ZADD', KEYS[9 + 2 * level], string.format('%.0f', due), record)
    longest = math.max(longest, #record)
    if due ~= first_due_of(record) then
      note_place(record, 0, due, first_due_of(record))
    end
    local key = key_of(record)
    if key then
      local noted = call('HGET', KEYS[5], key) or ''
      local done = #noted == 21 and noted or sub(noted, 15)
      call('HSET', KEYS[5], key, string.char(level) .. pack('>I6I7', seq, first_due_of(record)) .. done)
    end
  end)
end

-- Marks what is to be removed of a list, so that indexes stay as they are meanwhile, and then removes it.
local GONE, marked = 'hg: gone', {}
local function mark(list, index)
  call('LSET', list, index, GONE)
  marked[list] = (marked[list] or 0) + 1
end
local function remove_marked()
  for list, many in pairs(marked) do
    call('LREM', list, many, GONE)
  end
end
