-- Parts of several operations on holds: calls to Redis, the clock, expiry, members.

-- @section calls
-- What the scripts call often, looked up once; the first permit of a hold, and how many expired ones a call removes at most.
local call, pack, read = redis.call, struct.pack, struct.unpack
local FIRST, MOST_REMOVED = '\0', 200
-- A time as Redis takes it: to join a number to a string keeps 14 digits of it only.
local function text(micros)
  return string.format('%.0f', micros)
end

-- @section clock
-- now: microseconds since 1970, by Redis's clock; whether what expires then is held
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
-- @include is_held

-- @section clock_given
-- now: microseconds since 1970, as a test passes it in last; whether what expires then is held
local now = ARGV[#ARGV] + 0
-- @include is_held

-- @section is_held
-- Whether a permit is held that expires at that time; a reply that is none is of a key that is not ours, where nothing is.
local function is_held(expiry)
  return type(expiry) == 'string' and tonumber(expiry) > now
end

-- @section look
-- held, soonest: permits held of each rule, and when the first of them expires, 0 when there are none; counts: both, packed
local held, soonest = {}, {}
for i, key in ipairs(KEYS) do
  held[i] = call('ZCOUNT', key, '(' .. text(now), '+inf')
  local first = call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  soonest[i] = (first[2] or 0) + 0
end
local function counts()
  local packed = {}
  for i = 1, #KEYS do
    packed[i] = pack('>I4I7', held[i], soonest[i])
  end
  return table.concat(packed)
end

-- @section live
-- Has the key live for longer than what is held there: seldom set anew, and never shortened, as others may have longer leases.
if call('PTTL', key) < rest - 60000 then
  call('PEXPIRE', key, rest)
end

-- @section members
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
