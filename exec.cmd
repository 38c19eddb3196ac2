@rem What `exec env NAME=value NAME=value command` is to Unix shells, for `npm start` on Windows: there cmd.exe runs the script and looks for
@rem commands here first. The two variables are for glibc, which Windows does not have.
@for /f "tokens=3,*" %%a in ("%*") do @%%b
