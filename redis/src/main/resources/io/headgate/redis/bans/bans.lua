-- Adds and lifts bans and exemptions, and returns the changes since a version.
--
-- Three scripts: add, lift and bans. Their ARGV, reply and cost are described above their sections.
--
-- KEYS       1 the state; 2 the entries; 3 the changes; 4 the lifted targets; 5 the ends; 6 the tips
--
-- State      a hash: the fields version (the number of changes), epoch (a random text, new whenever the state is new), tip
--            (a random text, new with each change), floor (up to this version, lifted targets may be missing from the changes)
--            and blocks (the number of entries whose target is a block of addresses)
-- Entries    a hash of each target to its entry: kind, 1 for a block or else 0, the time of the addition, the end or 0 if it
--            is permanent, ':' and the reason, ':' and the author; separated by blanks, times in microseconds since 1970
-- Changes    a sorted set of the targets of all entries, and of lifted targets, by the version of their last change
-- Lifted     a sorted set of the lifted targets only, up to 10000, by the same version
-- Ends       a sorted set of the targets of entries that are not permanent, by their end
-- Tips       a hash of the tips of the last 1000 versions, by the version modulo 1000. An instance whose tip of a version differs has
--            followed a Redis that was replaced, such as before a failover
-- Always     an entry in force has a change. While an entry is permanent, the keys have no expiry; else they expire an hour after
--            the last end
--
-- Variables that cross sections
--   now_micros      the time by the clock of Redis, in microseconds since 1970
--   ended           targets of up to 1000 entries that have ended
--   ended_entries   their entries
--   blocks          how many blocks remain without the ended entries
--   state           the fields version, epoch and blocks before the change
--   latest          the version of the latest change, which is also known if the state is lost
--   version         the version after the change

-- @section add
-- Adds an entry, or extends that of the target if it is of the same kind, and notifies the instances.
--
-- ARGV     1 the target; 2 the kind; 3 the duration in microseconds, 0 if it is permanent; 4 ':' and the reason, a blank, ':' and
--          the author; 5 '1' for a block, else '0'; 6 the most entries; 7 the most blocks; 8 a random text; 9 the channel
-- Reply    'added', the time of the addition, the end or 0, and the current time; 'kind' and the kind of the entry that the target
--          has; or 'full'
-- Cost     O(log n) for n entries
-- @include clock
-- @include reads
local before = redis.call('HGET', KEYS[2], ARGV[1])
local since_micros = now_micros
local end_micros = tonumber(ARGV[3])
if end_micros > 0 then
  end_micros = now_micros + end_micros
end
if before then
  local kind, since, earlier = string.match(before, '^(%S+) %d (%d+) (%d+) ')
  local earlier_micros = tonumber(earlier)
  if earlier_micros > 0 and earlier_micros <= now_micros then
    before = nil
  elseif kind ~= ARGV[2] then
    return 'kind ' .. kind
  else
    since_micros = tonumber(since)
    end_micros = (end_micros == 0 or earlier_micros == 0) and 0 or math.max(end_micros, earlier_micros)
  end
end
-- Also if there is no room: more than 1000 entries may have ended, and each attempt makes room for the next.
-- @include remove_ended
local is_full = redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[6]) or (ARGV[5] == '1' and blocks >= tonumber(ARGV[7]))
if is_full and not before then
  return 'full'
end
-- An ended entry that is not one of those removed here is replaced.
if ARGV[5] == '1' and redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then
  blocks = blocks + 1
end
local times = string.format('%.0f %.0f', since_micros, end_micros)
-- @include next_version
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. ARGV[5] .. ' ' .. times .. ' ' .. ARGV[4])
redis.call('ZADD', KEYS[3], version, ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
if end_micros == 0 then
  redis.call('ZREM', KEYS[5], ARGV[1])
else
  redis.call('ZADD', KEYS[5], string.format('%.0f', end_micros), ARGV[1])
end
-- @include expiry
redis.pcall('PUBLISH', ARGV[9], '1')
return 'added ' .. times .. string.format(' %.0f', now_micros)

-- @section lift
-- Removes the entry of a target, and notifies the instances.
--
-- ARGV     1 the target; 8 a random text; 9 the channel; the others are not used
-- Reply    the current time and the entry that was in force; '' if there was none
-- Cost     O(log n) for n entries
-- @include clock
-- @include reads
local entry = redis.call('HGET', KEYS[2], ARGV[1])
if not entry then
  return ''
end
local is_block = string.match(entry, '^%S+ (%d) ')
-- @include remove_ended
if redis.call('HDEL', KEYS[2], ARGV[1]) == 0 then
  return ''
end
blocks = blocks - tonumber(is_block)
-- @include next_version
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZADD', KEYS[3], version, ARGV[1])
redis.call('ZADD', KEYS[4], version, ARGV[1])
if redis.call('ZCARD', KEYS[4]) > 10000 then
  local oldest = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
  redis.call('ZREM', KEYS[4], oldest[1])
  redis.call('ZREM', KEYS[3], oldest[1])
  redis.call('HSET', KEYS[1], 'floor', oldest[2])
end
-- @include expiry
redis.pcall('PUBLISH', ARGV[9], '1')
return string.format('%.0f ', now_micros) .. entry

-- @section bans
-- Returns the changes after a version, oldest first. Writes nothing.
--
-- ARGV     1 the version up to which the instance has all changes, 0 if it has none; 2 the epoch and 3 the tip of the last reply;
--          '-' if it has read a part of the entries only; 4 the most changes to return
-- Reply    '' if the instance has all changes; 'reread' if it must start from version 0; else lines: the version up to which it then
--          has all changes, the epoch, the tip or '-' if there are more, 1 if there are more changes or else 0, and the current time; then for each change
--          the target, and its entry unless it was lifted
-- Cost     O(1) without changes, else O(log n + m) for n entries and m changes
local state = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'tip', 'floor')
local version = state[1] or redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2] or '0'
local epoch = state[2] or '-'
local tip = state[3] or '-'
if ARGV[1] == version and ARGV[2] == epoch and ARGV[3] == tip then
  return ''
end
local known = tonumber(ARGV[1])
if known > 0 and (ARGV[2] ~= epoch or known > tonumber(version) or known < tonumber(state[4] or 0)) then
  return 'reread'
end
if known > 0 and ARGV[3] ~= '-' then
  if version - known >= 1000 or redis.call('HGET', KEYS[6], string.format('%.0f', known % 1000)) ~= ARGV[3] then
    return 'reread'
  end
end
-- @include clock
local changes = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local targets = {}
for i = 1, #changes, 2 do
  targets[#targets + 1] = changes[i]
end
local has_more = #targets == tonumber(ARGV[4])
local upto = has_more and changes[#changes] or version
local head = { upto, epoch, has_more and '-' or tip, has_more and '1' or '0', string.format('%.0f', now_micros) }
local lines = { table.concat(head, ' ') }
if #targets > 0 then
  local entries = redis.call('HMGET', KEYS[2], unpack(targets))
  for i, target in ipairs(targets) do
    lines[#lines + 1] = target .. (entries[i] and ' ' .. entries[i] or '')
  end
end
return table.concat(lines, '\n')

-- @section clock
-- Reads the clock of Redis.
local clock = redis.call('TIME')
local now_micros = clock[1] * 1000000 + clock[2]

-- @section reads
-- Finds ended entries, and fails before anything is written if a key has a value of another program.
local ended = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', string.format('%.0f', now_micros), 'LIMIT', 0, 1000)
local ended_entries = #ended > 0 and redis.call('HMGET', KEYS[2], unpack(ended)) or {}
local state = redis.call('HMGET', KEYS[1], 'version', 'epoch', 'blocks')
local blocks = tonumber(state[3] or 0)
for _, entry in ipairs(ended_entries) do
  if entry and string.find(entry, '^%S+ 1 ') then
    blocks = blocks - 1
  end
end
local latest = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2]
redis.call('ZSCORE', KEYS[4], '')
redis.call('HLEN', KEYS[6])

-- @section remove_ended
-- Removes ended entries. They are no changes, as each instance drops them by itself.
if #ended > 0 then
  redis.call('HDEL', KEYS[2], unpack(ended))
  redis.call('ZREM', KEYS[3], unpack(ended))
  redis.call('ZREM', KEYS[5], unpack(ended))
  redis.call('HSET', KEYS[1], 'blocks', blocks)
end

-- @section next_version
-- Counts a change. If only the state is lost, such as by an eviction, the versions continue after those of the changes.
local version = string.format('%.0f', (state[1] or latest or 0) + 1)
redis.call('HSET', KEYS[1], 'version', version, 'epoch', state[2] or ARGV[8], 'tip', ARGV[8], 'blocks', blocks)
redis.call('HSET', KEYS[6], string.format('%.0f', version % 1000), ARGV[8])

-- @section expiry
-- Lets the keys expire when no entry needs them any more.
local last_end = redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')[2]
local rest_millis = math.ceil(math.max(0, (last_end or 0) - now_micros) / 1000) + 3600000
local has_permanent = redis.call('HLEN', KEYS[2]) > redis.call('ZCARD', KEYS[5])
for _, key in ipairs(KEYS) do
  if has_permanent then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIRE', key, string.format('%.0f', rest_millis))
  end
end
