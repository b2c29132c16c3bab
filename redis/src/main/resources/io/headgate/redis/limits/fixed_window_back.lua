-- What a window gives back: of what was charged in it.
if charged_at == 0 or charged_at >= starts then
  refunded = permits < count and permits or count
end
