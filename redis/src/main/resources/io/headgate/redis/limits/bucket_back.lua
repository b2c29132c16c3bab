-- What a bucket gives back: of what was charged, what has not been paid off.
if state then
  local whole, rest = permits, 0
  if charged_at > 0 and charged_at ~= last then
    -- What was charged last is paid off last. When all of it will be was rounded up, so the last part is left.
    local span = whole_at - 1 - time
    whole, rest = 0, 0
    if span > 0 then
      if not product then
        -- @include product
      end
      whole, rest = product(span, rate, period)
      if whole >= permits then
        whole, rest = permits, 0
      end
    end
  end
  if whole > owed or whole == owed and rest > parts then
    whole, rest = owed, parts
  end
  refunded = rest > 0 and whole + 1 or whole
  owed, parts = owed - whole, parts - rest
  if parts < 0 then
    owed, parts = owed - 1, parts + period
  end
end
