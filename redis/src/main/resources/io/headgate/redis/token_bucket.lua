-- The token bucket 'tb', twin of TokenBucketAlgorithm: what is owed until the bucket is full, in time.
--
-- ARGV     capacity; refill: permits, and the period in us, both in lowest terms; expiry in ms
-- state    a string of 28 bytes: the last charge (7 bytes), the debt then in whole us (7) and in parts of one (4),
--          and the rate it is told in: permits (4) and period (6)
-- keeps    integers below 2^53, so every step is exact; a debt of another rate is carried over in permits
-- cost     GET; charged: SET

-- How long n permits take: whole microseconds, and what is left in units of 1 / permits of one.
local function span(n, rate, period)
  local rest = period % rate
  return n * ((period - rest) / rate) + math.floor(n * rest / rate), n * rest % rate
end

-- How many permits have wholly passed in a span; the division only estimates.
local function permits_in(debt, part, rate, period)
  local n = math.floor((debt + part / rate) / period * rate)
  local whole, rest = span(n, rate, period)
  while n > 0 and (whole > debt or whole == debt and rest > part) do
    n = n - 1
    whole, rest = span(n, rate, period)
  end
  local next_whole, next_rest = span(n + 1, rate, period)
  while next_whole < debt or next_whole == debt and next_rest <= part do
    n, whole, rest = n + 1, next_whole, next_rest
    next_whole, next_rest = span(n + 1, rate, period)
  end
  return n, whole, rest
end

-- A debt of one rate as a debt of another: the same permits, and what is beyond whole ones in 256ths, rounded up.
local function carry_over(debt, part, old_rate, old_period, rate, period)
  local n, whole, rest = permits_in(debt, part, old_rate, old_period)
  local parts = math.ceil(((debt - whole) * old_rate + part - rest) * 256 / old_period)
  local most = math.min(1000000000, math.floor(4503599627370496 / rate),
    math.floor(316224000000000 / (period / rate)))
  if n >= most then
    n, parts = most, 0
  end
  whole, rest = span(n, rate, period)
  rest = rest + math.ceil(parts * period / 256)
  return whole + math.floor(rest / rate), rest % rate
end

-- How long until no more than n permits are owed.
local function wait(debt, part, n, rate, period)
  local whole, rest = span(n, rate, period)
  local left = debt - whole
  return part > rest and left + 1 or left
end

look.tb = function(key, at, permits, now)
  local capacity, rate, period = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local debt, part, time, owed = 0, 0, now, 0
  local state = redis.call('GET', key)
  if state then
    if #state ~= 28 then
      error('HEADGATE_FOREIGN not a token bucket')
    end
    local last, old_rate, old_period
    last, debt, part, old_rate, old_period = struct.unpack('>I7I7I4I4I6', state)
    -- No bucket owes more than 10^9 permits; with more, the steps below would not end.
    if part >= old_rate or old_period == 0 or debt / old_period * old_rate > 1000000001 then
      error('HEADGATE_FOREIGN not a token bucket')
    end
    if last > now then
      time = last
    end
    debt = debt - (time - last)
    if debt < 0 then
      debt, part = 0, 0
    elseif old_rate ~= rate or old_period ~= period then
      debt, part = carry_over(debt, part, old_rate, old_period, rate, period)
    end
    local whole, rest
    owed, whole, rest = permits_in(debt, part, rate, period)
    if whole < debt or rest < part then
      owed = owed + 1
    end
  end
  local remaining = capacity > owed and capacity - owed or 0
  local reset = wait(debt, part, 0, rate, period)
  if reset > 0 then
    reset = reset + time - now
  end
  local retry = 0
  if permits > capacity then
    retry = -1
  elseif permits > remaining then
    retry = wait(debt, part, capacity - permits, rate, period) + time - now
  end
  return retry, remaining, reset, debt, part, time, rate, period
end

charge.tb = function(key, at, permits, now, remaining, debt, part, time, rate, period)
  local whole, rest = span(permits, rate, period)
  part = part + rest
  debt, part = debt + whole + math.floor(part / rate), part % rate
  redis.call('SET', key, struct.pack('>I7I7I4I4I6', time, debt, part, rate, period), 'PX', ARGV[at + 4])
  return remaining - permits, wait(debt, part, 0, rate, period) + time - now
end
