-- How many microseconds a token bucket takes to pay off so many permits and the parts, where that is beyond 2^53 parts.
-- @include product
function wait(count)
  local whole, left = product(period, count, rate)
  return whole + math.ceil((left + parts) / rate)
end
