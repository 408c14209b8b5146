-- Live documents of a Caret server in Neovim. `:CaretOpen NAME` opens a document, `:CaretNew NAME` creates it, and
-- `:CaretList PREFIX` lists the documents whose names begin with a prefix.
--
-- The plugin runs `caret pipe`, which docs/editors.md describes. Set vim.g.caret_command to use another program or
-- address, for example { 'caret', '--server', 'text.example.org' }.

if vim.g.loaded_caret then return end
vim.g.loaded_caret = 1

local api, fn = vim.api, vim.fn
local carets = api.nvim_create_namespace('caret-carets')
local places = api.nvim_create_namespace('caret-places')
-- The colors of people who have not chosen one.
local colors = { '#b4542c', '#2c7a5a', '#3f62b0', '#8a4b9c', '#8a6d1b', '#2b7d8c' }
-- The open documents by the numbers of their buffers.
local documents = {}

local function report(text)
  vim.notify((text:gsub('^caret: ', '')), vim.log.levels.ERROR)
end

-- Messages to `caret pipe`

local function send(document, message)
  if document.job > 0 then pcall(fn.chansend, document.job, fn.json_encode(message) .. '\n') end
end

local function tell_selection(document)
  if not document.is_open or document.is_applying or api.nvim_get_current_buf() ~= document.buffer then return end
  local function place(mark)
    local line, column = fn.line(mark), fn.col(mark)
    return { line - 1, math.min(column - 1, #fn.getline(line)) }
  end
  local head = place('.')
  local anchor = fn.mode():find('^[vV\22]') and place('v') or head
  if vim.deep_equal(document.selection, { anchor, head }) then return end
  document.selection = { anchor, head }
  send(document, { type = 'select', selections = { { anchor, head } } })
end

local function lines_changed(document, first, last, new_last)
  if document.is_applying or not document.is_open then return end
  local lines = api.nvim_buf_get_lines(document.buffer, first, new_last, false)
  document.sent = document.sent + 1
  send(document, { type = 'change', seen = document.seen, first = first, count = last - first, lines = lines })
end

local function save(document)
  document.saved = false
  send(document, { type = 'save' })
  vim.wait(5000, function() return document.saved or not document.is_open end, 10)
  if document.saved then
    vim.bo[document.buffer].modified = false
    api.nvim_echo({ { document.name .. ': saved on the server' } }, false, {})
  else
    report(document.name .. ': not saved yet; ' .. document.message)
  end
end

-- The carets of others

local function highlight(peer, index)
  -- The names and colors of other people can be anything.
  local color = type(peer.color) == 'string' and peer.color or ''
  if color:match('^#%x%x%x$') then
    color = color:gsub('%x', '%0%0')
  elseif not color:match('^#%x%x%x%x%x%x$') then
    color = colors[index % #colors + 1]
  end
  local group = 'CaretPeer' .. color:sub(2)
  api.nvim_set_hl(0, group, { fg = '#ffffff', bg = color, ctermfg = 'White', ctermbg = index % 6 + 1 })
  return group
end

local function show_peers(document, peers)
  api.nvim_buf_clear_namespace(document.buffer, carets, 0, -1)
  for index, peer in ipairs(peers) do
    local group = highlight(peer, index)
    local name = fn.strcharpart(fn.strtrans(peer.name), 0, 20)
    for _, selection in ipairs(peer.selections) do
      local first, last, head = selection[1], selection[2], selection[2]
      if first[1] > last[1] or (first[1] == last[1] and first[2] > last[2]) then first, last = last, first end
      local text = api.nvim_buf_get_lines(document.buffer, head[1], head[1] + 1, false)[1] or ''
      if vim.deep_equal(first, last) then
        -- A caret is shown at the character after it.
        last = { head[1], head[2] + #fn.matchstr(text:sub(head[2] + 1), '^.') }
      end
      api.nvim_buf_set_extmark(document.buffer, carets, first[1], first[2],
        { end_row = last[1], end_col = last[2], hl_group = group })
      api.nvim_buf_set_extmark(document.buffer, carets, head[1], math.min(head[2], #text),
        { virt_text = { { ' ' .. name .. ' ', group } }, virt_text_pos = 'right_align' })
    end
  end
end

-- Messages from `caret pipe`

-- Only the user's own edits that are not saved make the buffer modified.
local function show_modified(document)
  vim.bo[document.buffer].modified = document.state ~= 'saved'
end

-- Applies the edits of others. The caret of each window stays at its character.
local function apply(document, message)
  local buffer = document.buffer
  document.is_applying = true
  local marks = {}
  for _, window in ipairs(fn.win_findbuf(buffer)) do
    local caret = api.nvim_win_get_cursor(window)
    marks[window] = api.nvim_buf_set_extmark(buffer, places, caret[1] - 1, caret[2], { strict = false })
  end
  for _, edit in ipairs(message.edits) do
    local first, last = edit.range[1], edit.range[2]
    api.nvim_buf_set_text(buffer, first[1], first[2], last[1], last[2], vim.split(edit.text, '\n', { plain = true }))
  end
  for window, mark in pairs(marks) do
    local place = api.nvim_buf_get_extmark_by_id(buffer, places, mark, {})
    api.nvim_win_set_cursor(window, { place[1] + 1, place[2] })
  end
  api.nvim_buf_clear_namespace(buffer, places, 0, -1)
  document.seen, document.is_applying = message.number, false
  show_modified(document)
  send(document, { type = 'applied', number = document.seen })
end

local function show(document, text)
  document.is_applying = true
  api.nvim_buf_set_lines(document.buffer, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[document.buffer].modified = false
  document.is_applying, document.is_open = false, true
  api.nvim_buf_attach(document.buffer, false, {
    on_lines = function(_, _, _, first, last, new_last) lines_changed(document, first, last, new_last) end,
  })
  -- With `filetype off`, there is nothing that detects a type.
  if fn.exists('#filetypedetect#BufRead') == 1 then
    api.nvim_buf_call(document.buffer, function() vim.cmd('filetype detect') end)
  end
end

local function receive(document, line)
  local message = vim.json.decode(line)
  if message.type == 'opened' then
    show(document, message.text)
  elseif message.type == 'changed' then
    -- If the user has typed before this change arrived, another one that fits follows.
    if message.after == document.sent then apply(document, message) end
  elseif message.type == 'peers' then
    if message.after == document.sent and message.number == document.seen then show_peers(document, message.peers) end
  elseif message.type == 'state' then
    local was = document.state
    document.state, document.message = message.state, message.message
    show_modified(document)
    vim.cmd('redrawstatus!')
    if was ~= 'offline' and message.state == 'offline' or document.is_kept and not message.kept then report(document.name .. ': ' .. message.message) end
    document.is_kept = message.kept
  elseif message.type == 'saved' then
    document.saved = true
  elseif message.type == 'renamed' then
    document.name = message.name
  elseif message.type == 'error' then
    document.message = message.message
    report(message.message)
  end
end

-- Calls `body` with each whole line that a job prints.
local function by_lines(body)
  local rest = ''
  return function(_, pieces)
    pieces[1] = rest .. pieces[1]
    rest = table.remove(pieces)
    for _, line in ipairs(pieces) do body(line) end
  end
end

local function open(name, options)
  vim.cmd('edit ' .. fn.fnameescape('caret://' .. name))
  local buffer = api.nvim_get_current_buf()
  if documents[buffer] then return end
  local set = vim.bo[buffer]
  set.buftype, set.swapfile, set.undolevels, set.fileformat = 'acwrite', false, -1, 'unix'
  local document = {
    buffer = buffer, name = name, state = 'opening', message = '', seen = 0, sent = 0, is_open = false,
    is_applying = false, is_kept = true, saved = false, job = 0,
  }
  documents[buffer] = document
  local command = vim.list_extend({}, vim.g.caret_command or { 'caret' })
  vim.list_extend(command, { 'pipe', '--positions', 'lines' })
  vim.list_extend(vim.list_extend(command, options), { '--', name })
  document.job = fn.jobstart(command, {
    on_stdout = by_lines(function(line) receive(document, line) end),
    on_stderr = by_lines(function(line)
      document.message = line
      report(line)
    end),
    on_exit = function()
      -- The text stays in the buffer, and can be saved as a file.
      document.is_open, document.state = false, 'closed'
      if documents[buffer] then report(name .. ': no longer live; open it again with :CaretOpen after :bwipeout') end
    end,
  })
  local group = api.nvim_create_augroup('caret' .. buffer, {})
  local function on(events, body)
    api.nvim_create_autocmd(events, { group = group, buffer = buffer, callback = body })
  end
  on('BufWriteCmd', function() save(document) end)
  on({ 'CursorMoved', 'CursorMovedI', 'ModeChanged' }, function() tell_selection(document) end)
  on('BufWipeout', function()
    documents[buffer] = nil
    pcall(fn.chanclose, document.job, 'stdin')
  end)
  -- Undo and redo take back only the user's own edits.
  vim.keymap.set('n', 'u', function() send(document, { type = 'undo' }) end, { buffer = buffer })
  vim.keymap.set('n', '<C-r>', function() send(document, { type = 'redo' }) end, { buffer = buffer })
end

-- The list of documents

-- What a line of standard error says. With --json, it is an object.
local function fault_in(line)
  if line:sub(1, 1) ~= '{' then return line end
  local fault = vim.json.decode(line)
  return fault.advice and fault.error .. '; ' .. fault.advice or fault.error
end

-- Runs `caret ls`, and then calls `done` with the names, and with a fault or nil.
local function find_names(prefix, done)
  local names, fault = {}, nil
  local command = vim.list_extend({}, vim.g.caret_command or { 'caret' })
  if fn.executable(command[1]) == 0 then
    return done({}, 'there is no program ' .. command[1] .. ' on your PATH; install it, or set vim.g.caret_command')
  end
  fn.jobstart(vim.list_extend(command, { 'ls', '--json', '--', prefix }), {
    on_stdout = by_lines(function(line) table.insert(names, vim.json.decode(line).doc) end),
    on_stderr = by_lines(function(line) fault = fault_in(line) end),
    on_exit = function() done(names, fault) end,
  })
end

local function show_list(buffer, prefix, names, fault)
  if fault then
    report(fault)
  elseif #names == 0 then
    report(prefix == '' and 'there are no documents yet; :CaretNew NAME creates one'
      or 'no document that you may read begins with ' .. prefix)
  elseif api.nvim_buf_is_loaded(buffer) then
    vim.bo[buffer].modifiable = true
    api.nvim_buf_set_lines(buffer, 0, -1, false, names)
    vim.bo[buffer].modifiable = false
  end
end

-- Shows the documents in a buffer with one name on each line. Enter opens the document of a line.
local function list(prefix)
  vim.cmd('silent edit ' .. fn.fnameescape('caret-list://' .. prefix))
  local buffer = api.nvim_get_current_buf()
  local set = vim.bo[buffer]
  set.buftype, set.bufhidden, set.swapfile, set.buflisted, set.modifiable = 'nofile', 'wipe', false, false, false
  vim.keymap.set('n', '<CR>', function()
    local name = api.nvim_get_current_line()
    if name ~= '' then open(name, {}) end
  end, { buffer = buffer })
  find_names(prefix, function(names, fault) show_list(buffer, prefix, names, fault) end)
end

-- Completes the name of a document. Waits at most a second for the server.
local function complete(lead, line, position)
  -- Neovim completes only the last word, but a name can have spaces.
  local typed = line:sub(1, position):match('Caret%a+%s+(.*)') or ''
  local found
  find_names(typed, function(names) found = names end)
  vim.wait(1000, function() return found ~= nil end, 10)
  return vim.tbl_map(function(name) return name:sub(#typed - #lead + 1) end, found or {})
end

local function command(name, nargs, body)
  api.nvim_create_user_command(name, function(given) body(given.args) end, { nargs = nargs, complete = complete })
end
command('CaretOpen', 1, function(name) open(name, {}) end)
command('CaretNew', 1, function(name) open(name, { '--create' }) end)
command('CaretList', '?', list)

-- What a status line can show about a document: `%{v:lua.CaretStatus()}`.
function CaretStatus()
  local document = documents[api.nvim_get_current_buf()]
  return document and document.state or ''
end

-- The end of Neovim would kill the job. It ends by itself when its input ends, after everything is saved.
api.nvim_create_autocmd('VimLeavePre', {
  callback = function()
    for _, document in pairs(documents) do
      documents[document.buffer] = nil
      pcall(fn.chanclose, document.job, 'stdin')
      fn.jobwait({ document.job }, 3000)
    end
  end,
})
