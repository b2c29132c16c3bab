-- Keeps which instance runs which version of a configuration, and returns it.
--
-- Three scripts: report, leave and instances. Their KEYS, ARGV, reply and cost are described above their sections.
--
-- State      a sorted set of reports by when each expires, in seconds since 1970; it expires with the last report. A report
--            has lines: the id of the instance, its name, its version, since when in milliseconds since 1970, and why it has
--            rejected the latest version, '' if it has not
--
-- Variables that cross sections
--   now_seconds     the time by the clock of Redis, in seconds since 1970

-- @section report
-- Replaces the report of an instance, and removes expired ones.
--
-- KEYS     1 the reports
-- ARGV     1 the report; 2 the previous one of the instance, which may be the same; 3 the seconds until it expires
-- Reply    ''
-- Cost     O(log n) for n instances, and for each expired report
-- @include clock
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[1], now_seconds + ARGV[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_seconds)
-- Later ones are of a time before the clock went back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now_seconds + ARGV[3], '+inf')
redis.call('PEXPIRE', KEYS[1], ARGV[3] * 1000)
return ''

-- @section leave
-- Removes a report.
--
-- KEYS     1 the reports
-- ARGV     1 the report
-- Reply    ''
-- Cost     O(log n) for n instances
redis.call('ZREM', KEYS[1], ARGV[1])
return ''

-- @section instances
-- Returns the reports that have not expired. Writes nothing.
--
-- KEYS     1 the reports
-- ARGV     1 the most reports; 2 the most bytes of all of them; 3 how many to read at once
-- Reply    the reports, each with its length in front of it, in 4 bytes; the last to expire last
-- Cost     O(n) for the reports returned and their size
-- @include clock
local page = tonumber(ARGV[3])
local parts = {}
local bytes = 0
for offset = 0, ARGV[1] - 1, page do
  local reports = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now_seconds, '+inf', 'LIMIT', offset, page)
  for _, report in ipairs(reports) do
    bytes = bytes + #report
    if bytes > tonumber(ARGV[2]) then
      return table.concat(parts)
    end
    parts[#parts + 1] = struct.pack('>I4', #report) .. report
  end
  if #reports < page then
    break
  end
end
return table.concat(parts)

-- @section clock
-- Reads the clock of Redis.
local now_seconds = redis.call('TIME')[1]
