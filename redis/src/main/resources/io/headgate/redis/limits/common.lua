-- Parts that the operations on limits share: Redis calls, the clock, and exact multiplication.
--
-- Reads the clock only; stores nothing.
--
-- Variables that cross sections:
--   call, pack, unpack  redis.call, struct.pack and struct.unpack, in local variables because every rule uses them
--   now                 microseconds since 1970
--   mul_div             function, see its section; a file that includes that section declares the variable first

-- @section calls
-- Redis and struct functions that every rule calls, looked up once.
local call, pack, unpack = redis.call, struct.pack, struct.unpack

-- @section clock
-- Sets now from Redis's clock.
local redis_time = call('TIME')
local now = redis_time[1] * 1000000 + redis_time[2]

-- @section clock_from_argument
-- Sets now from the last argument, which a test passes.
local now = ARGV[#ARGV] + 0

-- @section mul_div
-- Returns the whole quotient and the remainder of factor * multiplier / divisor. They are exact even if the product
-- exceeds 2^53. multiplier is below 2^35, divisor below 2^45; a quotient above 2^53 is approximate.
-- Long multiplication in steps of 7 bits; scale begins at 2^28, for the highest 7 of 35 bits.
function mul_div(factor, multiplier, divisor)
  local residue, quotient, remainder, scale = factor % divisor, 0, 0, 268435456
  while scale >= 1 do
    local partial = remainder * 128 + residue * (math.floor(multiplier / scale) % 128)
    quotient, remainder, scale = quotient * 128 + math.floor(partial / divisor), partial % divisor, scale / 128
  end
  return quotient + (factor - residue) / divisor * multiplier, remainder
end
