-- Adds an entry to the reply: 1 byte the length of its id, the id, 2 the how-manieth delivery it is, 2 the length of its
-- headers, 4 of its payload; both.
local function hand_out(id, fields, delivery)
  local payload, headers = parts(fields)
  n = n + 1
  taken[n] = string.char(#id) .. id .. pack('>I2I2I4', math.min(65535, delivery), #headers, #payload) .. headers .. payload
  ids[n] = id
  bytes = bytes + #taken[n]
end
