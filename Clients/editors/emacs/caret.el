;;; caret.el --- Live documents of a Caret server  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; `M-x caret-open' opens a document, and `C-u M-x caret-open' creates it.  Others see your caret, and you see theirs.
;; `M-x caret-list' lists the documents.
;; The package runs the command `caret pipe', which docs/editors.md describes.

;;; Code:

(defgroup caret nil "Live documents of a Caret server." :group 'communication)

(defcustom caret-command '("caret")
  "The command, with options such as an address: (\"caret\" \"--server\" \"text.example.org\")."
  :type '(repeat string))

(defvar caret--colors '("#b4542c" "#2c7a5a" "#3f62b0" "#8a4b9c" "#8a6d1b" "#2b7d8c")
  "The colors of people who have not chosen one.")

(defvar-local caret--process nil)
(defvar-local caret--name "")
(defvar-local caret--state "opening")
(defvar-local caret--message "" "Why the text is not saved yet.")
(defvar-local caret--seen 0 "The number of the last change of others.")
(defvar-local caret--sent 0 "How many changes of the user were sent.")
(defvar-local caret--is-applying nil)
(defvar-local caret--is-saved nil)
(defvar-local caret--is-kept t "Whether unsaved edits are kept on this machine.")
(defvar-local caret--selection nil "The selection that others see.")
(defvar-local caret--overlays nil)

;; Another major mode changes nothing of this.
(dolist (variable '(caret--process caret--name caret--state caret--message caret--seen caret--sent caret--is-applying
                    caret--is-saved caret--is-kept caret--selection caret--overlays caret-mode buffer-undo-list))
  (put variable 'permanent-local t))
(dolist (function '(caret--changed caret--tell-selection caret-save caret--close))
  (put function 'permanent-local-hook t))

(defvar caret-mode-map
  (let ((map (make-sparse-keymap)))
    ;; Undo and redo take back only the user's own edits.
    (define-key map [remap undo] #'caret-undo)
    (define-key map [remap undo-only] #'caret-undo)
    (define-key map [remap undo-redo] #'caret-redo)
    map))

(define-minor-mode caret-mode
  "The text of the buffer is a live document."
  :lighter (:eval (concat " Caret:" caret--state))
  :keymap caret-mode-map
  (if caret-mode
      (progn
        (setq buffer-undo-list t)
        (add-hook 'after-change-functions #'caret--changed nil t)
        (add-hook 'post-command-hook #'caret--tell-selection nil t)
        (add-hook 'write-contents-functions #'caret-save nil t)
        (add-hook 'kill-buffer-hook #'caret--close nil t))
    (remove-hook 'after-change-functions #'caret--changed t)
    (remove-hook 'post-command-hook #'caret--tell-selection t)
    (remove-hook 'write-contents-functions #'caret-save t)
    (remove-hook 'kill-buffer-hook #'caret--close t)
    (caret--close)))

;;;###autoload
(defun caret-open (name &optional create)
  "Open the live document NAME in a buffer.  With a prefix argument or CREATE, create the document."
  (interactive (list (completing-read "Document: " (completion-table-dynamic #'caret--complete)) current-prefix-arg))
  (let ((buffer (get-buffer-create (concat "caret:" name))))
    (with-current-buffer buffer
      (unless (process-live-p caret--process)
        (fundamental-mode)
        (setq caret--name name)
        (setq caret--process
              (make-process
               :name (concat "caret " name) :buffer nil :connection-type 'pipe :coding 'utf-8-unix :noquery t
               :command (append caret-command '("pipe" "--positions" "characters")
                                (and create '("--create")) (list "--" name))
               :filter (caret--by-lines (lambda (line) (caret--receive buffer line)))
               :stderr (caret--errors buffer)
               :sentinel (lambda (process _event) (caret--ended buffer process))))))
    (pop-to-buffer-same-window buffer)))

(defun caret--errors (buffer)
  "Return a process that shows what `caret pipe' reports about the document in BUFFER."
  (make-pipe-process
   :name "caret errors" :buffer nil :noquery t :coding 'utf-8-unix :sentinel #'ignore
   :filter (caret--by-lines (lambda (line) (caret--report buffer line)))))

(defun caret--by-lines (body)
  "Return a filter for a process that calls BODY with each whole line."
  (let ((rest ""))
    (lambda (_process output)
      (let ((lines (split-string (concat rest output) "\n")))
        (setq rest (car (last lines)))
        (mapc body (butlast lines))))))

(defun caret--report (buffer text)
  "Show TEXT, a sentence about the document in BUFFER.
A line that begins with two spaces says what to do about the line before it."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (when (string-prefix-p "  " text)
        (setq text (concat caret--message ";" (substring text 1))))
      (setq caret--message text)))
  (message "%s" (string-remove-prefix "caret: " text)))

(defun caret--ended (buffer process)
  "Report that PROCESS has ended.  The text stays in BUFFER, and can be saved as a file."
  (when (and (buffer-live-p buffer) (eq process (buffer-local-value 'caret--process buffer)))
    (with-current-buffer buffer
      (setq caret--process nil caret--state "closed")
      (when caret-mode
        (caret-mode -1)
        (message "%s: no longer live; open it again with M-x caret-open" caret--name)))))

;;; Messages to `caret pipe'

(defun caret--send (&rest message)
  "Send the property list MESSAGE."
  (when (process-live-p caret--process)
    (process-send-string caret--process (concat (json-serialize message) "\n"))))

(defun caret--changed (start end length)
  "Send a change: the text from START to END replaces LENGTH characters."
  (unless caret--is-applying
    (setq caret--sent (1+ caret--sent))
    (caret--send :type "change" :seen caret--seen
                 :edits (vector (list :range (vector (1- start) (+ (1- start) length))
                                      :text (buffer-substring-no-properties start end))))))

(defun caret--tell-selection ()
  "Show others where the user's caret or region is."
  (let* ((head (1- (point)))
         (anchor (if (use-region-p) (1- (mark)) head)))
    (unless (equal caret--selection (cons anchor head))
      (setq caret--selection (cons anchor head))
      (caret--send :type "select" :selections (vector (vector anchor head))))))

(defun caret-undo (&rest _)
  "Undo the user's last edit."
  (interactive)
  (caret--send :type "undo"))

(defun caret-redo (&rest _)
  "Redo the edit that was undone last."
  (interactive)
  (caret--send :type "redo"))

(defun caret-save ()
  "Wait until all edits are saved on the server."
  (interactive)
  (setq caret--is-saved nil)
  (caret--send :type "save")
  (with-timeout (5)
    (while (and (not caret--is-saved) (process-live-p caret--process))
      (accept-process-output caret--process 0.1)))
  (if caret--is-saved
      (progn (set-buffer-modified-p nil) (message "%s: saved on the server" caret--name))
    (message "%s: not saved yet; %s" caret--name caret--message))
  t)

(defun caret--close ()
  "End the input of `caret pipe', which then saves all edits and ends."
  (when (process-live-p caret--process)
    (process-send-eof caret--process)
    (setq caret--process nil)))

;;; Messages from `caret pipe'

(defun caret--receive (buffer line)
  "Handle LINE, a message about the document in BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((message (json-parse-string line :object-type 'plist :null-object nil)))
        (pcase (plist-get message :type)
          ("opened" (caret--show (plist-get message :text)))
          ;; If the user has typed before this change arrived, another one that fits follows.
          ("changed" (when (= (plist-get message :after) caret--sent) (caret--apply message)))
          ("peers" (when (and (= (plist-get message :after) caret--sent)
                              (= (plist-get message :number) caret--seen))
                     (caret--show-peers (plist-get message :peers))))
          ("state"
           (let ((was caret--state)
                 (is-kept (not (eq (plist-get message :kept) :false))))
             (setq caret--state (plist-get message :state) caret--message (plist-get message :message))
             (caret--show-modified)
             (when (or (and caret--is-kept (not is-kept))
                       (and (equal caret--state "offline") (not (equal was "offline"))))
               (message "%s: %s" caret--name caret--message))
             (setq caret--is-kept is-kept)))
          ("saved" (setq caret--is-saved t))
          ("renamed" (setq caret--name (plist-get message :name)))
          ("error" (caret--report buffer (plist-get message :message))))))))

(defun caret--show (text)
  "Show TEXT, the text of a document that was just opened."
  (let ((inhibit-modification-hooks t))
    (erase-buffer)
    (insert text))
  (goto-char (point-min))
  (set-buffer-modified-p nil)
  (setq caret--seen 0 caret--sent 0 caret--selection nil)
  (let ((buffer-file-name caret--name)) (set-auto-mode))
  (caret-mode 1))

(defun caret--show-modified ()
  "Mark the buffer as modified only while the user's own edits are not saved."
  (set-buffer-modified-p (not (equal caret--state "saved")))
  (force-mode-line-update))

(defun caret--apply (message)
  "Apply the edits of others in MESSAGE.  The caret of each window stays at its character."
  (let ((caret--is-applying t)
        (inhibit-read-only t)
        (places (mapcar (lambda (window) (cons window (copy-marker (window-point window) t)))
                        (get-buffer-window-list nil nil t)))
        (place (copy-marker (point) t)))
    (save-restriction
      (widen)
      (mapc (lambda (edit)
              (let ((range (plist-get edit :range)))
                (goto-char (1+ (aref range 0)))
                (insert (plist-get edit :text))
                (delete-region (point) (+ (point) (- (aref range 1) (aref range 0))))))
            (plist-get message :edits)))
    (goto-char place)
    (dolist (known places) (set-window-point (car known) (cdr known))))
  (setq caret--seen (plist-get message :number))
  (caret--show-modified)
  (caret--send :type "applied" :number caret--seen))

;;; The carets of others

(defun caret--color (peer index)
  "The color of PEER, who is number INDEX.  Other people can send anything as a color."
  (let ((color (plist-get peer :color)))
    (if (and (stringp color) (string-match-p "\\`#\\([[:xdigit:]]\\{3\\}\\)\\{1,2\\}\\'" color))
        color
      (nth (mod index (length caret--colors)) caret--colors))))

(defun caret--show-peers (peers)
  "Show the carets and selections of PEERS."
  (mapc #'delete-overlay caret--overlays)
  (setq caret--overlays nil)
  (dotimes (index (length peers))
    (let* ((peer (aref peers index))
           (face (list :background (caret--color peer index) :foreground "#ffffff"))
           (name (truncate-string-to-width (plist-get peer :name) 20)))
      (mapc (lambda (selection)
              (let* ((head (1+ (aref selection 1)))
                     (start (min (1+ (aref selection 0)) head))
                     (end (max (1+ (aref selection 0)) head))
                     (line-end (save-excursion (goto-char head) (line-end-position))))
                ;; A caret is shown at the character after it.
                (caret--overlay start (if (= start end) (min (1+ end) line-end) end) 'face face)
                (caret--overlay line-end line-end 'after-string
                                (concat " " (propertize (concat " " name " ") 'face face)))))
            (plist-get peer :selections)))))

(defun caret--overlay (start end property value)
  "Show something from START to END: PROPERTY with VALUE."
  (let ((overlay (make-overlay start (max start end))))
    (overlay-put overlay property value)
    (push overlay caret--overlays)))

;;; The list of documents

(defvar-local caret--prefix "" "The names of the list begin with this prefix.")

(defvar caret-list-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'caret-list-open)
    map))

(define-derived-mode caret-list-mode special-mode "Caret list"
  "The names of documents, one on each line."
  (setq revert-buffer-function (lambda (&rest _) (caret-list caret--prefix))))

;;;###autoload
(defun caret-list (&optional prefix)
  "List the documents whose names begin with PREFIX, which a prefix argument asks for."
  (interactive (list (and current-prefix-arg (read-string "Prefix: "))))
  (let ((buffer (get-buffer-create "*caret list*"))
        (prefix (or prefix "")))
    (with-current-buffer buffer
      (caret-list-mode)
      (setq caret--prefix prefix))
    (pop-to-buffer-same-window buffer)
    (caret--find-names prefix (lambda (names fault) (caret--show-list buffer prefix names fault)))))

(defun caret-list-open ()
  "Open the document of the line."
  (interactive)
  (let ((name (buffer-substring-no-properties (line-beginning-position) (line-end-position))))
    (unless (string-empty-p name) (caret-open name))))

(defun caret--show-list (buffer prefix names fault)
  "Show NAMES, which begin with PREFIX, in BUFFER; or show FAULT."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (string-join names "\n"))
        (goto-char (point-min))
        (set-buffer-modified-p nil))))
  (cond (fault (message "%s" fault))
        (names nil)
        ((string-empty-p prefix) (message "There are no documents yet; C-u M-x caret-open creates one"))
        (t (message "No document that you may read begins with %s" prefix))))

(defun caret--find-names (prefix done)
  "Run `caret ls' for PREFIX, and call DONE with the names, and with a fault or nil.  Return the process."
  (let (names fault)
    (unless (executable-find (car caret-command))
      (user-error "There is no program %s; install it, or set `caret-command'" (car caret-command)))
    ;; Standard error goes to the same filter, because Emacs may run the sentinel before it has read another pipe.
    (make-process
     :name "caret ls" :buffer nil :connection-type 'pipe :coding 'utf-8-unix :noquery t
     :command (append caret-command (list "ls" "--json" "--" prefix))
     :filter (caret--by-lines
              (lambda (line)
                (let ((entry (caret--entry line)))
                  (if (plist-get entry :doc)
                      (push (plist-get entry :doc) names)
                    (setq fault (mapconcat #'identity (delq nil (list (plist-get entry :error) (plist-get entry :advice)))
                                           "; "))))))
     :sentinel (lambda (process _event)
                 (unless (process-live-p process) (funcall done (nreverse names) fault))))))

(defun caret--entry (line)
  "Return LINE of `caret ls', as a plist.  A line that is not an object says what is wrong."
  (if (string-prefix-p "{" line)
      (json-parse-string line :object-type 'plist :null-object nil)
    (list :error (string-remove-prefix "caret: " line))))

(defun caret--complete (prefix)
  "Return the names of the documents that begin with PREFIX.  Wait at most a second for the server."
  (let* (found
         (end (+ (float-time) 1))
         (process (caret--find-names prefix (lambda (names _fault) (setq found names)))))
    (while (and (process-live-p process) (< (float-time) end))
      (accept-process-output process 0.1))
    found))

(provide 'caret)

;;; caret.el ends here
