-- Parts of several operations on limits: calls to Redis, the clock, exact products.

-- @section calls
-- What every rule calls several times, looked up once.
local call, pack, unpack = redis.call, struct.pack, struct.unpack

-- @section clock
-- now: microseconds since 1970, by Redis's clock
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- @section clock_given
-- now: microseconds since 1970, as a test passes it in last
local now = ARGV[#ARGV] + 0

-- @section product
-- a * b / c in whole numbers, and what is left, also where a * b is beyond 2^53; b is below 2^35, c below 2^46.
function product(a, b, c)
  local rest, whole, left, scale = a % c, 0, 0, 268435456
  while scale >= 1 do
    local step = left * 128 + rest * (math.floor(b / scale) % 128)
    whole, left, scale = whole * 128 + math.floor(step / c), step % c, scale / 128
  end
  return whole + (a - rest) / c * b, left
end
