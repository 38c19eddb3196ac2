@rem What `exec` is to Unix shells, for `npm start` on Windows: there cmd.exe runs the script and looks for commands here first.
@%*
