-- What a step asks for.
if steps then
  permits, many = unpack('>I4I2', steps, base / rules * 6 + 1)
end
