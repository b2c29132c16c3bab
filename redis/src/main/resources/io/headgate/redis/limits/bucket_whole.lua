-- When a bucket that is not charged would be full (a token bucket) or empty (a leaky one).
if fits then
  local all = owed * period + parts
  local over = all % rate
  reset = (over > 0 and all - over + rate or all) / rate
else
  reset = wait(owed)
end
-- What is owed from another limit may take longer than any limit does; more than ten years are not told.
if reset > 316224000000000 then
  reset = 316224000000000
end
if reset > 0 then
  reset = reset + time - now
end
