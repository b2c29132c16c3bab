-- When the group looks for expired leases next, its fence, and where to go on looking. The fence is when an entry was taken
-- over last, or the group was made, and only ever grows: what was handed out under it as it is now nobody has taken over.
local look_at, fence, cursor = 0, 0, '0-0'
local known = call('GET', looks)
if known then
  look_at, fence = read('>I7I7', known)
  cursor = sub(known, 15)
end
