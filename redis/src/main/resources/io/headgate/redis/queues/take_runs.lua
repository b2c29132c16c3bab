-- Takes runs off the list; what is too much goes back to its front, one run perhaps in part.
local runs, back = call('LPOP', ready, want) or {}, {}
in_list = #runs == want
looked = looked + #runs
for i = 1, #runs do
  local rest = runs[i]
  if n < most then
    rest = take_run(rest)
  end
  if rest then
    back[#back + 1] = rest
  end
end
for i = #back, 1, -1 do
  call('LPUSH', ready, back[i])
end
