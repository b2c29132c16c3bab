-- Enqueues those groups for which there is room, each job as a run of its own.
local answers, chunk, at = {}, 4, 1
for g = 1, #ARGV[2] / 2 do
  local size = read('>I2', ARGV[2], 2 * g - 1)
  local fits = jobs + size <= most
  for _ = 1, size do
    if at > #ARGV[chunk] then
      chunk, at = chunk + 1, 1
    end
    local to = at + 3 + read('>I3', ARGV[chunk], at + 1)
    if fits then
      add(1, sub(ARGV[chunk], at, to))
    end
    at = to + 1
  end
  answers[g] = fits and '\1' or '\0'
end
admitted = table.concat(answers)
