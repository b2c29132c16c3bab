-- What an entry is made of: its payload, and its headers as a job's record has them, each name and value behind its length
-- in 2 bytes. Entries of others may have more headers than a record takes: those stay behind.
local function parts(fields)
  local payload, headers, size = nil, {}, 0
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if name == 'p' and not payload then
      payload = value
    elseif size + #name + #value < 65000 then
      headers[#headers + 1] = pack('>I2', #name) .. name .. pack('>I2', #value) .. value
      size = size + #headers[#headers]
    end
  end
  return payload or '', table.concat(headers)
end

-- The record of an entry that leaves the stream for the group's queue after so many deliveries, of which this one is not
-- counted yet: of normal priority, with its id as a header. None where somebody has added an entry that is too large for one.
local function as_job(id, fields, deliveries)
  local payload, headers = parts(fields)
  headers = pack('>I2', 14) .. 'headgate-entry' .. pack('>I2', #id) .. id .. headers
  local body = pack('>I2', #headers) .. headers .. payload
  if #body >= 16777216 then
    return
  end
  seq, jobs = seq + 1, jobs + 1
  local record = pack('>I6I7I2BI3', seq, now, 1, 24, #body) .. body
  return deliveries > 1 and aged(record, now, 0, deliveries - 1, deliveries - 1) or record
end
