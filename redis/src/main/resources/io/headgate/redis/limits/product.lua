-- a * b / c in whole numbers, and what is left, also where a * b is beyond 2^53; b is below 2^35, c below 2^46.
function product(a, b, c)
  local rest, whole, left, scale = a % c, 0, 0, 268435456
  while scale >= 1 do
    local step = left * 128 + rest * (math.floor(b / scale) % 128)
    whole, left, scale = whole * 128 + math.floor(step / c), step % c, scale / 128
  end
  return whole + (a - rest) / c * b, left
end
