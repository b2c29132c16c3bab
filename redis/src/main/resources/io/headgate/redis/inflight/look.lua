-- held, soonest: permits held of each rule, and when the first of them expires, 0 when there are none; counts: both, packed
local held, soonest = {}, {}
for i, key in ipairs(KEYS) do
  held[i] = call('ZCOUNT', key, '(' .. text(now), '+inf')
  local first = call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  soonest[i] = (first[2] or 0) + 0
end
local function counts()
  local packed = {}
  for i = 1, #KEYS do
    packed[i] = pack('>I4I7', held[i], soonest[i])
  end
  return table.concat(packed)
end
