-- Of several requests that are decided in one call: one whose charge would write more entries wider than this call has to
-- spare is not decided, and must be asked alone. All that its rules would write wider counts.
if keep and window > keep and last > time - window and (width == 4 and window > 134217728
  or width == 5 and window > 34359738368 or width == 6 and window > 8796093022208) then
  wide = wide + 16 * blocks + newest
  if wide > spare then
    allowed, remaining, retry, reset = nil, 4294967295, -1, 0
  end
end
