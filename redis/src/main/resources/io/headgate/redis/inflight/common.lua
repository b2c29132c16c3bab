-- Parts that the operations on holds share: Redis calls, the clock, counting, key expiry, and the holds of a call.
--
-- The state is that of acquire.lua.
--
-- Variables that cross sections (times are us since 1970):
--   call, pack, decode    redis.call, struct.pack and struct.unpack
--   FIRST_PERMIT          the number of the first permit of a hold, as its member has it after the id of the hold
--   MAX_REMOVED           how many expired permits one call removes from a key at most
--   as_score              function: formats a time as a score, with all digits
--   now                   the time
--   is_held               function: whether a permit that expires at the given time is held
--   held_permits          by the index of a key: permits held there
--   first_expiry          by the index of a key: when the first of them expires; 0 when none is held
--   packed_counts         function: packs held_permits and first_expiry of all keys
--   replies               for each key and each of its holds, in order, a byte of the reply
--   holds                 by the index of a key: holds to work on, each {id, permits, index in replies}
-- Set by the operation: key and ttl_millis (acquire.lua, renew.lua); ARGS_BEFORE_HOLDS and RESTORES_LOST (release.lua,
-- renew.lua).

-- @section calls
-- Redis and struct functions, and constants.
local call, pack, decode = redis.call, struct.pack, struct.unpack
local FIRST_PERMIT, MAX_REMOVED = '\0', 200
-- Formats a time with all digits: concatenation would keep only 14 digits of a number.
local function as_score(micros)
  return string.format('%.0f', micros)
end

-- @section clock
-- Sets now from Redis's clock.
local redis_time = call('TIME')
local now = redis_time[1] * 1000000 + redis_time[2]
-- @include is_held

-- @section clock_from_argument
-- Sets now from the last argument, which a test passes.
local now = ARGV[#ARGV] + 0
-- @include is_held

-- @section is_held
-- A score that is not a string means that the permit is absent, or that the key has another type: it is not held.
local function is_held(expiry)
  return type(expiry) == 'string' and tonumber(expiry) > now
end

-- @section count_held
-- Counts the permits that are held under each rule.
local held_permits, first_expiry = {}, {}
for i, key in ipairs(KEYS) do
  held_permits[i] = call('ZCOUNT', key, '(' .. as_score(now), '+inf')
  local first = call('ZRANGEBYSCORE', key, '(' .. as_score(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  first_expiry[i] = (first[2] or 0) + 0
end
local function packed_counts()
  local packed = {}
  for i = 1, #KEYS do
    packed[i] = pack('>I4I7', held_permits[i], first_expiry[i])
  end
  return table.concat(packed)
end

-- @section extend_key_ttl
-- Extends the expiry of the key so that it outlives the leases. It is seldom extended and never shortened, because
-- other holds may have longer leases.
if call('PTTL', key) < ttl_millis - 60000 then
  call('PEXPIRE', key, ttl_millis)
end

-- @section read_holds
-- Reads the holds that the arguments list: for each key an argument of ids (16 bytes) with their permits (1 byte). A
-- key of another type counts as empty, so that the call does not fail for the other keys.
local replies, holds = {}, {}
for i, key in ipairs(KEYS) do
  local packed_holds = ARGV[i + ARGS_BEFORE_HOLDS]
  holds[i] = {}
  for position = 1, #packed_holds, 17 do
    local id = string.sub(packed_holds, position, position + 15)
    local score = redis.pcall('ZSCORE', key, id .. FIRST_PERMIT)
    -- An error is a table; the score of an absent member is false.
    local counts = is_held(score) or RESTORES_LOST and type(score) ~= 'table'
    replies[#replies + 1] = counts and '\1' or '\0'
    if counts then
      holds[i][#holds[i] + 1] = {id, string.byte(packed_holds, position + 16), #replies}
    end
  end
end
