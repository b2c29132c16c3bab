-- Pauses requests, ends pauses, and returns those in force.
--
-- Three scripts: pause, resume and pauses. Their KEYS, ARGV, reply and cost are described above their sections.
--
-- State      a hash of what is paused to the end of the pause, in microseconds since 1970; and, in the field '', the
--            time of the last change in microseconds since 1970, which is its version. It expires with the last pause
-- Always     at most 1000 pauses; a pause is never shortened, and ended ones are removed when another is added
--
-- Variables that cross sections
--   now_micros      the time by the clock of Redis, in microseconds since 1970

-- @section pause
-- Pauses a target, and notifies the instances. Does nothing if it is paused for longer already.
--
-- KEYS     1 the pauses
-- ARGV     1 the target; 2 how long, in microseconds; 3 the channel to notify
-- Reply    how long the target is paused now, in microseconds; '' when too many other targets are paused
-- Cost     O(n) for n pauses
-- @include clock
local targets = redis.call('HKEYS', KEYS[1])
local ends = redis.call('HVALS', KEYS[1])
local end_micros = now_micros + ARGV[2]
local last_micros = end_micros
local ended = {}
local others = 0
local was_longer = false
for i, target in ipairs(targets) do
  local paused_micros = tonumber(ends[i])
  if target == ARGV[1] then
    was_longer = paused_micros >= end_micros
    end_micros = math.max(end_micros, paused_micros)
    last_micros = math.max(last_micros, end_micros)
  elseif target ~= '' and paused_micros > now_micros then
    others = others + 1
    last_micros = math.max(last_micros, paused_micros)
  elseif target ~= '' then
    ended[#ended + 1] = target
  end
end
if others >= 1000 then
  return ''
end
if was_longer then
  return string.format('%.0f', end_micros - now_micros)
end
if #ended > 0 then
  redis.call('HDEL', KEYS[1], unpack(ended))
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', end_micros), '', string.format('%.0f', now_micros))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil((last_micros - now_micros) / 1000)))
redis.pcall('PUBLISH', ARGV[3], '1')
return string.format('%.0f', end_micros - now_micros)

-- @section resume
-- Ends the pause of a target, and notifies the instances.
--
-- KEYS     1 the pauses
-- ARGV     1 the target; 2 the channel to notify
-- Reply    '1' if the target was paused, else '0'
-- Cost     O(1)
-- @include clock
local paused_micros = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if paused_micros > 0 then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('HSET', KEYS[1], '', string.format('%.0f', now_micros))
  redis.pcall('PUBLISH', ARGV[2], '1')
end
return paused_micros > now_micros and '1' or '0'

-- @section pauses
-- Returns the pauses in force, unless they are of the version that the instance has. Writes nothing.
--
-- KEYS     1 the pauses
-- ARGV     1 the version that the instance has; '' before the first reply
-- Reply    '' if it has the current version; else lines: the version, then for each pause the rest in microseconds,
--          a space and the target
-- Cost     O(1) with the current version, O(n) for n pauses without it
local version = redis.call('HGET', KEYS[1], '') or '0'
if version == ARGV[1] then
  return ''
end
-- @include clock
local ends = redis.call('HVALS', KEYS[1])
local lines = { version }
for i, target in ipairs(redis.call('HKEYS', KEYS[1])) do
  local rest_micros = ends[i] - now_micros
  if target ~= '' and rest_micros > 0 then
    lines[#lines + 1] = string.format('%.0f ', rest_micros) .. target
  end
end
return table.concat(lines, '\n')

-- @section clock
-- Reads the clock of Redis.
local clock = redis.call('TIME')
local now_micros = clock[1] * 1000000 + clock[2]
