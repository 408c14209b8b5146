" Live documents of a Caret server in Vim 9. `:CaretOpen NAME` opens a document, `:CaretNew NAME` creates it, and
" `:CaretList PREFIX` lists the documents whose names begin with a prefix.
"
" The plugin runs `caret pipe`, which docs/editors.md describes. Set g:caret_command to use another program or address,
" for example ['caret', '--server', 'text.example.org'].

if exists('g:loaded_caret') || !has('job') || !exists('*listener_add') || !has('textprop')
  finish
endif
let g:loaded_caret = 1
" Lines are continued below, also if the user wants a Vim that is like vi.
let s:cpoptions = &cpoptions
set cpoptions&vim

command! -nargs=1 -complete=customlist,s:CompleteName CaretOpen call s:Open(<q-args>, [])
command! -nargs=1 CaretNew call s:Open(<q-args>, ['--create'])
command! -nargs=? -complete=customlist,s:CompleteName CaretList call s:List(<q-args>)

" The colors of people who have not chosen one.
let s:colors = ['#b4542c', '#2c7a5a', '#3f62b0', '#8a4b9c', '#8a6d1b', '#2b7d8c']

" The open documents by the numbers of their buffers.
let s:documents = {}

function! s:Open(name, options) abort
  execute 'edit' fnameescape('caret://' .. a:name)
  let buffer = bufnr()
  if has_key(s:documents, buffer)
    return
  endif
  setlocal buftype=acwrite noswapfile undolevels=-1 fileformat=unix fileencoding=utf-8
  let document = {'buffer': buffer, 'name': a:name, 'state': 'opening', 'message': '', 'seen': 0, 'sent': 0,
        \ 'count': 1, 'is_kept': 1, 'is_applying': 0, 'is_open': 0, 'saved': 0, 'selection': [],
        \ 'reason': a:name .. ': `caret pipe` has ended'}
  let s:documents[buffer] = document
  let command = get(g:, 'caret_command', ['caret']) + ['pipe', '--positions', 'lines'] + a:options + ['--', a:name]
  let document.job = job_start(command, {'mode': 'nl', 'noblock': 1, 'stoponexit': '',
        \ 'out_cb': {_, line -> s:Receive(document, line)}, 'err_cb': {_, line -> s:Report(document, line)},
        \ 'close_cb': {_ -> s:End(document)}})
  augroup caret
    execute 'autocmd! * <buffer=' .. buffer .. '>'
    execute 'autocmd BufWriteCmd <buffer=' .. buffer .. '> call s:Save(' .. buffer .. ')'
    execute 'autocmd CursorMoved,CursorMovedI,ModeChanged <buffer=' .. buffer .. '> call s:TellSelection(' .. buffer .. ')'
    execute 'autocmd BufWipeout <buffer=' .. buffer .. '> call s:Close(' .. buffer .. ')'
  augroup END
  " Undo and redo take back only the user's own edits.
  nnoremap <buffer> <silent> u :<C-u>call <SID>Command('undo')<CR>
  nnoremap <buffer> <silent> <C-r> :<C-u>call <SID>Command('redo')<CR>
endfunction

" What a status line can show about a document.
function! CaretStatus(...) abort
  let document = get(s:documents, a:0 ? a:1 : bufnr(), {})
  return empty(document) ? '' : document.state
endfunction

" Messages to `caret pipe`

function! s:Send(document, message) abort
  if job_status(a:document.job) ==# 'run'
    call ch_sendraw(a:document.job, json_encode(a:message) .. "\n")
  endif
endfunction

" Vim calls this with the changes since the last call. They are described one after the other, each with the numbers of
" the lines at that time.
function! s:Listen(buffer, start, end, added, changes) abort
  let document = s:documents[a:buffer]
  let lines = len(getbufline(a:buffer, 1, '$'))
  if document.is_applying || !document.is_open
    let document.count = lines
    return
  endif
  let [total, above, below] = [document.count, document.count, document.count]
  for change in a:changes
    let above = min([above, change.lnum - 1])
    let below = min([below, total - (change.end - 1)])
    let total += change.added
  endfor
  " A buffer without lines has an empty line all the same.
  if total != lines
    let [above, below] = [0, 0]
  endif
  let below = max([0, min([below, lines - above, document.count - above])])
  call s:Send(document, {'type': 'change', 'seen': document.seen, 'first': above,
        \ 'count': document.count - above - below, 'lines': getbufline(a:buffer, above + 1, lines - below)})
  let document.sent += 1
  let document.count = lines
endfunction

function! s:TellSelection(buffer) abort
  let document = s:documents[a:buffer]
  if !document.is_open || document.is_applying || bufnr() != a:buffer
    return
  endif
  call listener_flush(a:buffer)
  let head = [line('.') - 1, min([col('.'), col('$')]) - 1]
  let anchor = mode() =~# "^[vV\<C-v>]" ? [line('v') - 1, min([col('v') - 1, len(getline('v'))])] : head
  if document.selection != [anchor, head]
    let document.selection = [anchor, head]
    call s:Send(document, {'type': 'select', 'selections': [[anchor, head]]})
  endif
endfunction

function! s:Command(type) abort
  call listener_flush(bufnr())
  call s:Send(s:documents[bufnr()], {'type': a:type})
endfunction

function! s:Save(buffer) abort
  let document = s:documents[a:buffer]
  call listener_flush(a:buffer)
  let document.saved = 0
  call s:Send(document, {'type': 'save'})
  let waited = 0
  while !document.saved && document.is_open && waited < 500
    sleep 10m
    let waited += 1
  endwhile
  if document.saved
    call setbufvar(a:buffer, '&modified', 0)
    echo document.name .. ': saved on the server'
  else
    call s:Fail(document, document.name .. ': not saved yet; ' .. document.message)
  endif
endfunction

function! s:Close(buffer) abort
  call ch_close_in(s:documents[a:buffer].job)
  unlet s:documents[a:buffer]
endfunction

" Messages from `caret pipe`

function! s:Receive(document, line) abort
  let [document, message] = [a:document, json_decode(a:line)]
  if message.type ==# 'opened'
    call s:Show(document, message.text)
  elseif message.type ==# 'changed'
    call listener_flush(document.buffer)
    " If the user has typed before this change arrived, another one that fits follows.
    if message.after == document.sent
      call s:Apply(document, message)
    endif
  elseif message.type ==# 'peers'
    if message.after == document.sent && message.number == document.seen
      call s:ShowPeers(document, message.peers)
    endif
  elseif message.type ==# 'state'
    let was = document.state
    let [document.state, document.message] = [message.state, message.message]
    call s:ShowModified(document)
    redrawstatus!
    if (was !=# 'offline' && message.state ==# 'offline') || (document.is_kept && !message.kept)
      call s:Fail(document, document.name .. ': ' .. message.message)
    endif
    let document.is_kept = message.kept
  elseif message.type ==# 'saved'
    let document.saved = 1
  elseif message.type ==# 'renamed'
    let document.name = message.name
  elseif message.type ==# 'error'
    call s:Fail(document, message.message)
  endif
endfunction

" A line of standard error. The first one says what is wrong, and the next ones what to do.
function! s:Report(document, line) abort
  if a:line =~# '^caret: '
    let a:document.reason = a:line
  endif
  call s:Fail(a:document, a:line)
endfunction

function! s:Fail(document, line) abort
  let a:document.message = a:line
  call s:ShowError(a:line)
endfunction

function! s:ShowError(line) abort
  echohl ErrorMsg
  echomsg substitute(strtrans(a:line), '^caret: ', '', '')
  echohl None
endfunction

" The text stays in the buffer after the end, and can be saved as a file.
function! s:End(document) abort
  let was_open = a:document.is_open
  let [a:document.is_open, a:document.state] = [0, 'closed']
  if !has_key(s:documents, a:document.buffer)
    return
  elseif was_open
    call s:Fail(a:document, a:document.name .. ': no longer live; open it again with :CaretOpen after :bwipeout')
  else
    " What is said last is what the user sees: why the document is not open.
    call s:Fail(a:document, a:document.reason)
  endif
endfunction

function! s:Show(document, text) abort
  let buffer = a:document.buffer
  let a:document.is_applying = 1
  call setbufline(buffer, 1, split(a:text, "\n", 1))
  call setbufvar(buffer, '&modified', 0)
  call listener_add(function('s:Listen'), buffer)
  let [a:document.is_applying, a:document.is_open] = [0, 1]
  let a:document.count = len(getbufline(buffer, 1, '$'))
  if bufnr() == buffer
    filetype detect
  endif
endfunction

" Only the user's own edits that are not saved make the buffer modified.
function! s:ShowModified(document) abort
  call setbufvar(a:document.buffer, '&modified', a:document.state !=# 'saved')
endfunction

" Applies the edits of others. The caret of each window stays at its character.
function! s:Apply(document, message) abort
  let document = a:document
  let document.is_applying = 1
  let carets = map(win_findbuf(document.buffer), {_, window -> [window, getcurpos(window)[1:2]]})
  for edit in a:message.edits
    let [start, end] = edit.range
    call s:Replace(document.buffer, start, end, edit.text)
    for caret in carets
      let caret[1] = s:Moved(caret[1], start, end, edit.text)
    endfor
  endfor
  call listener_flush(document.buffer)
  for [window, caret] in carets
    call win_execute(window, 'call cursor(' .. caret[0] .. ', ' .. caret[1] .. ')')
  endfor
  let [document.seen, document.is_applying] = [a:message.number, 0]
  call s:ShowModified(document)
  call s:Send(document, {'type': 'applied', 'number': document.seen})
  redraw
endfunction

function! s:Replace(buffer, start, end, text) abort
  let first = getbufline(a:buffer, a:start[0] + 1)[0]
  let last = getbufline(a:buffer, a:end[0] + 1)[0]
  let new = split(strpart(first, 0, a:start[1]) .. a:text .. strpart(last, a:end[1]), "\n", 1)
  let lines = a:end[0] - a:start[0] + 1
  if len(new) > lines
    call appendbufline(a:buffer, a:end[0] + 1, new[lines :])
  elseif len(new) < lines
    call deletebufline(a:buffer, a:start[0] + len(new) + 1, a:end[0] + 1)
  endif
  call setbufline(a:buffer, a:start[0] + 1, new[: lines - 1])
endfunction

" Where a caret at [line, column], both from 1, is after an edit.
function! s:Moved(caret, start, end, text) abort
  let [line, column] = [a:caret[0] - 1, a:caret[1] - 1]
  if line < a:start[0] || (line == a:start[0] && column < a:start[1])
    return a:caret
  endif
  let new = split(a:text, "\n", 1)
  let after = [a:start[0] + len(new) - 1, len(new[-1]) + (len(new) == 1 ? a:start[1] : 0)]
  if line < a:end[0] || (line == a:end[0] && column < a:end[1])
    return [after[0] + 1, after[1] + 1]
  elseif line == a:end[0]
    return [after[0] + 1, after[1] + column - a:end[1] + 1]
  endif
  return [line + after[0] - a:end[0] + 1, a:caret[1]]
endfunction

" The carets of others

function! s:ShowPeers(document, peers) abort
  let buffer = a:document.buffer
  for type in prop_type_list({'bufnr': buffer})
    if type =~# '^caret_'
      call prop_remove({'type': type, 'bufnr': buffer, 'all': 1})
      call prop_type_delete(type, {'bufnr': buffer})
    endif
  endfor
  for index in range(len(a:peers))
    let peer = a:peers[index]
    let type = 'caret_' .. index
    call prop_type_add(type, {'bufnr': buffer, 'highlight': s:Highlight(peer, index), 'combine': 1})
    for [anchor, head] in peer.selections
      call s:ShowSelection(buffer, type, anchor, head)
      call prop_add(head[0] + 1, 0, {'type': type, 'bufnr': buffer, 'text': ' ' .. s:Name(peer) .. ' ',
            \ 'text_align': 'right'})
    endfor
  endfor
  redraw
endfunction

function! s:ShowSelection(buffer, type, anchor, head) abort
  let [start, end] = sort([a:anchor, a:head], {a, b -> a[0] == b[0] ? a[1] - b[1] : a[0] - b[0]})
  if start == end
    " A caret is shown at the character after it. After the last character, the name alone shows the line.
    let rest = strpart(getbufline(a:buffer, a:head[0] + 1)[0], a:head[1])
    let end = [a:head[0], a:head[1] + len(matchstr(rest, '^.'))]
  endif
  call prop_add(start[0] + 1, start[1] + 1,
        \ {'type': a:type, 'bufnr': a:buffer, 'end_lnum': end[0] + 1, 'end_col': end[1] + 1})
endfunction

function! s:Name(peer) abort
  return strcharpart(strtrans(a:peer.name), 0, 20)
endfunction

" The names and colors of other people can be anything, so only plain colors are passed to a command.
function! s:Highlight(peer, index) abort
  let color = type(a:peer.color) == v:t_string ? a:peer.color : ''
  if color =~# '^#\x\x\x$'
    let color = '#' .. join(map(split(color[1:], '\zs'), {_, digit -> digit .. digit}), '')
  elseif color !~# '^#\x\x\x\x\x\x$'
    let color = s:colors[a:index % len(s:colors)]
  endif
  let group = 'CaretPeer' .. color[1:]
  execute 'highlight' group 'ctermfg=White ctermbg=' .. (a:index % 6 + 1) 'guifg=#ffffff guibg=' .. color
  return group
endfunction

" The list of documents

" Shows the documents in a buffer with one name on each line. Enter opens the document of a line.
function! s:List(prefix) abort
  execute 'silent edit' fnameescape('caret-list://' .. a:prefix)
  setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted nomodifiable
  nnoremap <buffer> <silent> <CR> :<C-u>call <SID>OpenLine()<CR>
  let buffer = bufnr()
  call s:FindNames(a:prefix, {found -> s:ShowList(buffer, a:prefix, found)})
endfunction

function! s:OpenLine() abort
  if !empty(getline('.'))
    call s:Open(getline('.'), [])
  endif
endfunction

function! s:ShowList(buffer, prefix, found) abort
  if !empty(a:found.fault)
    call s:ShowError(a:found.fault)
  elseif empty(a:found.names)
    call s:ShowError(empty(a:prefix) ? 'there are no documents yet; :CaretNew NAME creates one'
          \ : 'no document that you may read begins with ' .. a:prefix)
  elseif bufloaded(a:buffer)
    call setbufvar(a:buffer, '&modifiable', 1)
    call setbufline(a:buffer, 1, a:found.names)
    call setbufvar(a:buffer, '&modifiable', 0)
    redraw
  endif
endfunction

" Runs `caret ls`, and then calls `Done` with the names, and with a fault or ''.
function! s:FindNames(prefix, Done) abort
  let [found, Done] = [{'names': [], 'fault': ''}, a:Done]
  let command = get(g:, 'caret_command', ['caret']) + ['ls', '--json', '--', a:prefix]
  if !executable(command[0])
    let found.fault = 'there is no program ' .. command[0] .. ' on your PATH; install it, or set g:caret_command'
    call Done(found)
    return
  endif
  return job_start(command, {'mode': 'nl', 'close_cb': {_ -> Done(found)},
        \ 'out_cb': {_, line -> add(found.names, json_decode(line).doc)},
        \ 'err_cb': {_, line -> extend(found, {'fault': s:Fault(line)})}})
endfunction

" What a line of standard error says. With --json, it is an object.
function! s:Fault(line) abort
  if a:line !~# '^{'
    return a:line
  endif
  let fault = json_decode(a:line)
  return fault.error .. (empty(get(fault, 'advice', '')) ? '' : '; ' .. fault.advice)
endfunction

" Completes the name of a document. Waits at most a second for the server.
function! s:CompleteName(lead, line, position) abort
  " Vim completes only the last word, but a name can have spaces.
  let typed = matchstr(strpart(a:line, 0, a:position), 'Caret\a\+\s\+\zs.*')
  let all = []
  call s:FindNames(typed, {found -> add(all, found.names)})
  let waited = 0
  while empty(all) && waited < 100
    sleep 10m
    let waited += 1
  endwhile
  return empty(all) ? [] : map(all[0], {_, name -> strpart(name, len(typed) - len(a:lead))})
endfunction

let &cpoptions = s:cpoptions
unlet s:cpoptions
