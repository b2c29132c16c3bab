-- Of several who ask for the same, as many are charged together as all rules have room for.
if many > 1 then
  admitted = allowed and math.min(many, math.floor(least / permits)) or 0
  permits = allowed and permits * admitted or permits
end
