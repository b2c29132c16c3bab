-- Keeps the audit log: records of changes, of changes of single bans and jobs, and of frequent events, in the order in which
-- Redis received them.
--
-- Two scripts: append and read. Their ARGV, reply and cost are described above their sections.
--
-- KEYS     1 the stream of changes; 2 the stream of changes of single bans and jobs; 3 the stream of events, which clients can
--          cause at any rate
--
-- State    three Redis streams. An entry has the fields of a record. Its id is the time by the clock of Redis, in ms since 1970,
--          and a number. The streams share these ids: no two records have the same one, and a later record has a higher one,
--          also after the clock has gone back
-- Always   a stream has at most about as many entries as the caller allows; the oldest ones are removed. It expires when it
--          got no record for the time that the caller gives

-- @section append
-- Appends records.
--
-- ARGV     1 the most entries of each stream, which may have about 100 more; 2 the ms until a stream without another record
--          expires; then for each record: the number of its stream, the number of its fields and values, and these
-- Reply    the id of the last record
-- Cost     O(1) for each record, and for each removed entry
local clock = redis.call('TIME')
local millis, number = clock[1] * 1000 + math.floor(clock[2] / 1000), 0
for _, key in ipairs(KEYS) do
  local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  if last then
    local last_millis, last_number = string.match(last[1], '(%d+)-(%d+)')
    last_millis, last_number = tonumber(last_millis), tonumber(last_number)
    if last_millis > millis then
      millis, number = last_millis, last_number + 1
    elseif last_millis == millis then
      number = math.max(number, last_number + 1)
    end
  end
end
local position = 3
local id = ''
while ARGV[position] do
  local key = KEYS[tonumber(ARGV[position])]
  local length = tonumber(ARGV[position + 1])
  id = string.format('%.0f-%.0f', millis, number)
  redis.call('XADD', key, 'MAXLEN', '~', ARGV[1], id, unpack(ARGV, position + 2, position + 1 + length))
  redis.call('PEXPIRE', key, ARGV[2])
  number = number + 1
  position = position + 2 + length
end
return id

-- @section read
-- Returns records of all streams, oldest first. Writes nothing.
--
-- ARGV     1 'after' for the first records after an id, 'before' for the last ones before it; 2 the id, or '' for the first or
--          the last records of all; 3 the most records
-- Reply    for each record its id, the number of its fields and values, and these, each with its length in front of it, in 4
--          bytes
-- Cost     O(n) for n records
local is_forward = ARGV[1] == 'after'
local first = ARGV[2] == '' and (is_forward and '-' or '+') or '(' .. ARGV[2]
local found = {}
for _, key in ipairs(KEYS) do
  local entries
  if is_forward then
    entries = redis.call('XRANGE', key, first, '+', 'COUNT', ARGV[3])
  else
    entries = redis.call('XREVRANGE', key, first, '-', 'COUNT', ARGV[3])
  end
  for _, entry in ipairs(entries) do
    local millis, number = string.match(entry[1], '(%d+)-(%d+)')
    found[#found + 1] = { tonumber(millis), tonumber(number), entry }
  end
end
table.sort(found, function(one, other)
  if one[1] == other[1] then
    return one[2] < other[2]
  end
  return one[1] < other[1]
end)
local most = math.min(#found, tonumber(ARGV[3]))
local from = is_forward and 1 or #found - most + 1
local parts = {}
for i = from, from + most - 1 do
  local entry = found[i][3]
  parts[#parts + 1] = struct.pack('>I4', #entry[1]) .. entry[1]
  local length = tostring(#entry[2])
  parts[#parts + 1] = struct.pack('>I4', #length) .. length
  for _, text in ipairs(entry[2]) do
    parts[#parts + 1] = struct.pack('>I4', #text) .. text
  end
end
return table.concat(parts)
