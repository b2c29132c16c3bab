-- Takes runs off the list; what is too much goes back to its front, one run perhaps in part.
local runs, back = call('LPOP', ready, want) or {}, {}
in_list = #runs == want
looked = looked + #runs
for i = 1, #runs do
  local rest = runs[i]
  if n < most and #back == 0 then
    rest = take_run(rest, most)
  end
  if rest then
    back[#back + 1] = rest
  end
end
-- Where some of a run was cancelled, there is room again for the rest of it.
in_list = in_list or #back > 0
for i = #back, 1, -1 do
  call('LPUSH', ready, back[i])
end
