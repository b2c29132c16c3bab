-- Stores the versions of a configuration, such as the policies of servers, and returns them.
--
-- Six scripts: write, remove, current, current_id, find and history. Their KEYS, ARGV, reply and cost are described above their sections.
--
-- State      a hash. 'current' is the number of the current version, 'oldest' that of the oldest one, and 'bytes' the size
--            of the texts of all versions. For the version with the number N, 'N' is its description, and 'N:1', 'N:2' and
--            so on are its texts. 'removed' is the number of the last version that was removed with all others. A description has
--            lines: the id, when it was written in microseconds since 1970, the size of its texts in bytes, who wrote it, why,
--            and the name of each text
-- Always     numbers increase by 1, and times increase; only the oldest versions are removed, and never the current one
--            or the one before; a version never changes
--
-- Variables that cross sections
--   now_micros      the time by the clock of Redis, in microseconds since 1970
--   lines           the function that returns the lines of a description
--   described       the function that returns the description of a version; fails if there is none
--   part            the function that returns a text with its length in front of it

-- @section write
-- Writes a version if the current one is the expected one, removes the oldest versions that are too many or too large,
-- and notifies the instances.
--
-- KEYS     1 the configuration
-- ARGV     1 the id of the expected current version, '' for none; 2 the digest of the texts, which ends the id; 3 their size in
--          bytes; 4 who writes it; 5 why; 6 the most versions; 7 the most bytes of all texts; 8 the channel to notify;
--          then for each text its name and itself
-- Reply    '1' and the description of the version written; else '0' and that of the current one, '' if there is none
-- Cost     O(n) for n removed texts and the size of the texts
-- @include lines
-- @include described
local current = redis.call('HGET', KEYS[1], 'current')
local before = current or redis.call('HGET', KEYS[1], 'removed')
if not before and redis.call('EXISTS', KEYS[1]) == 1 then
  error('HEADGATE_FOREIGN not a configuration')
end
local replaced = current and described(current) or ''
local replaced_id, replaced_micros = unpack(lines(replaced))
if (replaced_id or '') ~= ARGV[1] then
  return '0' .. replaced
end
-- @include clock
now_micros = math.max(now_micros, (tonumber(replaced_micros) or 0) + 1)
local number = (tonumber(before) or 0) + 1
local bytes = ARGV[3] + (redis.call('HGET', KEYS[1], 'bytes') or 0)
local oldest = tonumber(redis.call('HGET', KEYS[1], 'oldest') or number)
local removed = {}
while oldest < number - 1 and (number - oldest >= tonumber(ARGV[6]) or bytes > tonumber(ARGV[7])) do
  local old = lines(described(oldest))
  bytes = bytes - old[3]
  removed[#removed + 1] = oldest
  for i = 1, #old - 5 do
    removed[#removed + 1] = oldest .. ':' .. i
  end
  oldest = oldest + 1
end
for _, field in ipairs(removed) do
  redis.call('HDEL', KEYS[1], field)
end
local id = number .. '-' .. ARGV[2]
local description = { id, string.format('%.0f', now_micros), ARGV[3], ARGV[4], ARGV[5] }
for i = 9, #ARGV, 2 do
  description[#description + 1] = ARGV[i]
  redis.call('HSET', KEYS[1], number .. ':' .. (#description - 5), ARGV[i + 1])
end
local written = table.concat(description, '\n')
redis.call('HSET', KEYS[1], number, written, 'current', number, 'oldest', oldest, 'bytes', bytes)
redis.pcall('PUBLISH', ARGV[8], id)
return '1' .. written

-- @section remove
-- Removes all versions if the current one is the expected one, and notifies the instances. For a shadow version. Keeps its number, so
-- that a version is never stored under the id of a removed one.
--
-- KEYS     1 the configuration
-- ARGV     1 the id of the expected current version; 2 the channel to notify
-- Reply    '1' if they are removed; else '0'
-- Cost     O(n) for n texts of all versions
-- @include lines
local current = redis.call('HGET', KEYS[1], 'current')
local description = current and redis.call('HGET', KEYS[1], current) or ''
if string.match(description, '^[^\n]*') ~= ARGV[1] then
  return '0'
end
redis.call('HSET', KEYS[1], 'removed', current)
for number = tonumber(redis.call('HGET', KEYS[1], 'oldest') or current), tonumber(current) do
  for i = 1, #lines(redis.call('HGET', KEYS[1], number) or '') - 5 do
    redis.call('HDEL', KEYS[1], number .. ':' .. i)
  end
  redis.call('HDEL', KEYS[1], number)
end
redis.call('HDEL', KEYS[1], 'current', 'oldest', 'bytes')
redis.pcall('PUBLISH', ARGV[2], ARGV[1])
return '1'

-- @section current
-- Returns the description of the current version. Writes nothing.
--
-- KEYS     1 the configuration
-- Reply    the description; '' if there is no version
-- Cost     O(1)
local current = redis.call('HGET', KEYS[1], 'current')
return current and redis.call('HGET', KEYS[1], current) or ''

-- @section current_id
-- Returns the id of the current version. Writes nothing.
--
-- KEYS     1 the configuration
-- Reply    the id; '' if there is no version
-- Cost     O(1)
local current = redis.call('HGET', KEYS[1], 'current')
local description = current and redis.call('HGET', KEYS[1], current) or ''
return string.match(description, '^[^\n]*')

-- @section find
-- Returns a version with its texts. Writes nothing.
--
-- KEYS     1 the configuration
-- ARGV     1 the number of the version; '' for the current one
-- Reply    the description and each text, each with its length in front of it; '' if there is no such version
-- Cost     O(n) for the size of the texts
-- @include lines
-- @include part
local number = ARGV[1] ~= '' and ARGV[1] or redis.call('HGET', KEYS[1], 'current')
local description = number and redis.call('HGET', KEYS[1], number)
if not description then
  return ''
end
local parts = { part(description) }
for i = 1, #lines(description) - 5 do
  parts[#parts + 1] = part(redis.call('HGET', KEYS[1], number .. ':' .. i))
end
return table.concat(parts)

-- @section history
-- Returns the latest versions without their texts. Writes nothing.
--
-- KEYS     1 the configuration
-- ARGV     1 the most versions
-- Reply    their descriptions, each with its length in front of it; the current one first
-- Cost     O(n) for n versions
-- @include part
-- @include described
local current = tonumber(redis.call('HGET', KEYS[1], 'current') or 0)
local oldest = tonumber(redis.call('HGET', KEYS[1], 'oldest') or 1)
local parts = {}
for number = current, math.max(oldest, current - ARGV[1] + 1), -1 do
  parts[#parts + 1] = part(described(number))
end
return table.concat(parts)

-- @section lines
-- Defines the function that returns the lines of a description.
local function lines(description)
  local all = {}
  for line in string.gmatch(description, '[^\n]+') do
    all[#all + 1] = line
  end
  return all
end

-- @section described
-- Defines the function that returns the description of a version.
local function described(number)
  local description = redis.call('HGET', KEYS[1], number)
  if not description then
    error('HEADGATE_FOREIGN version ' .. number .. ' of the configuration is missing')
  end
  return description
end

-- @section part
-- Defines the function that returns a text with its length in front of it, as 4 bytes.
local function part(text)
  return struct.pack('>I4', #text) .. text
end

-- @section clock
-- Reads the clock of Redis.
local clock = redis.call('TIME')
local now_micros = clock[1] * 1000000 + clock[2]
