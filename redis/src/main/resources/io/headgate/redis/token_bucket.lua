-- The token bucket 'tb', twin of TokenBucketAlgorithm: what is owed until the bucket is full, in time.
--
-- ARGV     capacity; refill: permits, and the period in us, both in lowest terms; expiry in ms
-- state    a string of 28 bytes: the last charge (7 bytes), the debt then in whole us (7) and in parts of one (4),
--          and the rate it is told in: permits (4) and period (6); a part is 1 / permits of a microsecond
-- keeps    integers below 2^53, so every step is exact; a debt of another rate is carried over in permits
-- cost     GET; charged: SET
local capacity, rate, period = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
local debt, part, time, owed = 0, 0, now, 0
local state = redis.call('GET', key)

-- How long n permits take: whole microseconds, and what is left in parts.
local function span(n, permits_each, each)
  local rest = each % permits_each
  return n * ((each - rest) / permits_each) + math.floor(n * rest / permits_each), n * rest % permits_each
end

if state then
  if #state ~= 28 then
    error('HEADGATE_FOREIGN not a token bucket')
  end
  local last, old_rate, old_period
  last, debt, part, old_rate, old_period = struct.unpack('>I7I7I4I4I6', state)
  -- No bucket owes more than 10^9 permits; with more, the steps below would not end.
  if part >= old_rate or old_period == 0 or debt / old_period * old_rate > 2000000001 then
    error('HEADGATE_FOREIGN not a token bucket')
  end
  if last > now then
    time = last
  end
  debt = debt - (time - last)
  if debt < 0 then
    debt, part = 0, 0
  else
    -- How many permits have wholly passed in a debt; the division only estimates.
    local function permits_in(permits_each, each)
      local n = math.floor((debt + part / permits_each) / each * permits_each)
      local whole, rest = span(n, permits_each, each)
      while n > 0 and (whole > debt or whole == debt and rest > part) do
        n = n - 1
        whole, rest = span(n, permits_each, each)
      end
      local next_whole, next_rest = span(n + 1, permits_each, each)
      while next_whole < debt or next_whole == debt and next_rest <= part do
        n, whole, rest = n + 1, next_whole, next_rest
        next_whole, next_rest = span(n + 1, permits_each, each)
      end
      return n, whole, rest
    end
    local whole, rest
    if old_rate ~= rate or old_period ~= period then
      -- The same permits are owed at the new rate, and what is beyond whole ones in 256ths, rounded up.
      owed, whole, rest = permits_in(old_rate, old_period)
      local parts = math.ceil(((debt - whole) * old_rate + part - rest) * 256 / old_period)
      local most = math.min(1000000000, math.floor(4503599627370496 / rate),
        math.floor(316224000000000 / (period / rate)))
      if owed >= most then
        owed, parts = most, 0
      end
      whole, rest = span(owed, rate, period)
      rest = rest + math.ceil(parts * period / 256)
      debt, part = whole + math.floor(rest / rate), rest % rate
    end
    owed, whole, rest = permits_in(rate, period)
    if whole < debt or rest < part then
      owed = owed + 1
    end
  end
end
remaining = capacity > owed and capacity - owed or 0
reset = part > 0 and debt + 1 or debt
if reset > 0 then
  reset = reset + time - now
end
retry = 0
if permits > capacity then
  retry = -1
elseif permits > remaining then
  local whole, rest = span(capacity - permits, rate, period)
  retry = (part > rest and debt - whole + 1 or debt - whole) + time - now
end
-- @charge
local whole, rest = span(permits, rate, period)
part = part + rest
debt, part = debt + whole + math.floor(part / rate), part % rate
redis.call('SET', key, struct.pack('>I7I7I4I4I6', time, debt, part, rate, period), 'PX', ARGV[at + 4])
remaining, reset = remaining - permits, (part > 0 and debt + 1 or debt) + time - now
